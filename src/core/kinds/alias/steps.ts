import { requestId } from '../../model/item-key.ts';
import { takesOthers } from '../../model/names.ts';
import { plainSteps, type KindSteps, type WriteItem } from '../steps.ts';

const STEPS = plainSteps('alias', {
  'alias-adds': (a, b) => precedence(b) - precedence(a),
  'alias-deletes': (a, b) => precedence(a) - precedence(b),
});

export const ALIAS_STEPS: KindSteps = {
  ...STEPS,
  place(changes) {
    for (const change of changes) {
      // A conditional change has no id before its domain is added.
      if (change.action !== 'add' && !change.conditional) requestId(change);
    }
    return STEPS.place(changes);
  },
};

/**
 * Returns the precedence of an alias's name. In aliases mode the service asks exact names first, plus addresses before
 * the others, then patterns, then `*`. Between requests mail must be routed as before or as afterwards, so the name
 * that is asked first is added first and deleted last.
 */
function precedence({ change: { name } }: WriteItem): number {
  if (name === '*') return 0;
  if (takesOthers(name.replaceAll('+', ''))) return 1;
  return name.includes('+') ? 3 : 2;
}
