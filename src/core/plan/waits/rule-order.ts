import type { Change, RuleChange } from '../../model/plan.ts';
import type { RuleState } from '../../kinds/rule/fields.ts';
import { createRouter, type Mail } from '../../routing/route.ts';
import { compareRanks } from '../sorting.ts';

export interface RulesInTheWay {
  /** Rules that a rule lets its mail go past: they do not deliver it before they change. */
  readonly ready: readonly Change[];
  /** Rules past which a rule takes its mail: they do not deliver it after they changed. */
  readonly needed: readonly Change[];
}

/**
 * Returns the rules of a domain that would take mail of a rule while these change, and not deliver it. `mail`: a mail that the rule
 * matches before or after; null: it matches more than one. `delivers`: tells whether mail is delivered before or after.
 */
export function rulesInTheWay(
  change: RuleChange,
  mail: Mail | null,
  { others, delivers }: { readonly others: readonly Change[]; readonly delivers: Delivers },
): RulesInTheWay {
  const rules = others.filter((other) => other.kind === 'rule' && other !== change) as readonly RuleChange[];
  const inTheWay = (when: 'observed' | 'desired'): readonly Change[] => {
    const own = change[when];
    if (own === null || !own.active || !delivers(own, when)) return [];
    return rules.filter((other) => {
      const state = other[when];
      if (state === null || !state.active || compareRanks(own.rank, state.rank) > 0) return false;
      return !delivers(state, when) && (mail === null || matches(state, mail));
    });
  };
  return { ready: inTheWay('observed'), needed: inTheWay('desired') };
}

export type Delivers = (state: Pick<RuleState, 'forward'>, when: 'observed' | 'desired') => boolean;

/** Returns the rules among these changes that would take a mail and not deliver it, whichever others come first afterwards. */
export function endingRules(changes: readonly Change[], mail: Mail, delivers: Delivers): readonly Change[] {
  return changes.filter(
    (change) =>
      change.kind === 'rule' &&
      change.desired?.active === true &&
      !delivers(change.desired, 'desired') &&
      matches(change.desired, mail),
  );
}

function matches(rule: RuleState, mail: Mail): boolean {
  const { routes } = createRouter({ aliases: [], rules: [rule], mode: 'rules', fallback: null });
  return routes(mail).some(({ kind }) => kind === 'rule');
}
