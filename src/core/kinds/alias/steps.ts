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
      // One that is conditional has no id before its domain was added.
      if (change.action !== 'add' && !change.conditional) requestId(change);
    }
    return STEPS.place(changes);
  },
};

/**
 * Field notes: aliases mode. An exact name is asked first, plus addresses among them, then patterns, then `*`. In between requests
 * mail must be routed as before or as afterwards: what is asked first comes first and goes last.
 */
function precedence({ change: { name } }: WriteItem): number {
  if (name === '*') return 0;
  if (takesOthers(name.replaceAll('+', ''))) return 1;
  return name.includes('+') ? 3 : 2;
}
