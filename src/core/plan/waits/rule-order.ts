import { nameKey } from '../../model/names.ts';
import type { Change, RuleChange } from '../../model/plan.ts';
import type { RuleState } from '../../kinds/rule/fields.ts';
import { createRouter, type Mail } from '../../routing/route.ts';
import { compareRanks } from '../sorting.ts';
import { isWide, type Beside } from './beside.ts';
import { mailTo } from './mail.ts';

export interface RulesInTheWay {
  /** Rules that must change before this rule gives up its mail, because they do not deliver that mail yet. */
  readonly ready: readonly Change[];
  /** Rules that must change after this rule takes its mail, because they will not deliver that mail any more. */
  readonly needed: readonly Change[];
}

/**
 * Returns the rules of a domain that would take mail of a changing rule meanwhile and not deliver it. `mail` matches
 * the rule before or after; null means that it matches several. `delivers` is true if mail is delivered before or
 * after.
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

/** Returns the rules among these changes that would take a mail and not deliver it, if no other rule comes first. */
export function endingRules(changes: readonly Change[], mail: Mail, delivers: Delivers): readonly Change[] {
  return changes.filter(
    (change) =>
      change.kind === 'rule' &&
      change.desired?.active === true &&
      !delivers(change.desired, 'desired') &&
      matches(change.desired, mail),
  );
}

/** Returns, for each rule that a domain gets, the new rules in front of it that may match the same mail. */
export function addedInFront(changes: readonly Change[]): Beside {
  const added = changes.filter(
    (change): change is AddedRule =>
      change.kind === 'rule' && change.action === 'add' && change.desired?.active === true,
  );
  const inFront = ({ domain, desired: own }: AddedRule): readonly AddedRule[] =>
    added.filter(
      ({ desired }) => compareRanks(desired.rank, own.rank) < 0 && mayShareMail(domain, own, desired),
    );
  return new Map(added.map((change) => [change, new Set(inFront(change))]));
}

type AddedRule = RuleChange & { readonly desired: RuleState };

/** True if an entry delivers nothing, as far as its destinations show; null means that there is no entry. */
export type MayBeSilent = (state: { readonly forward: readonly string[] } | null) => boolean;

/**
 * Returns, for each silent rule of a domain that gives up mail in stage 2, the rules after it that do so too and may
 * match the same mail.
 */
export function endingBehind(changes: readonly Change[], mayBeSilent: MayBeSilent): Beside {
  const ending = changes.filter(
    (change): change is EndingRule =>
      change.kind === 'rule' && change.stage === 2 && change.observed?.active === true,
  );
  const behind = (one: EndingRule): readonly EndingRule[] =>
    ending.filter(
      ({ observed }) =>
        compareRanks(observed.rank, one.observed.rank) > 0 &&
        mayShareMail(one.domain, one.observed, observed),
    );
  const silent = ending.filter(({ observed }) => mayBeSilent(observed));
  return new Map(silent.map((change) => [change, new Set(behind(change))]));
}

type EndingRule = RuleChange & { readonly observed: RuleState };

/** True unless the names in the conditions of two rules of a domain show that they match different mail. */
function mayShareMail(domain: string, one: RuleState, other: RuleState): boolean {
  if (one.match.type !== 'alias' || other.match.type !== 'alias') return true;
  const [name, another] = [one.match.alias, other.match.alias];
  const areWide = [name, another].map(isWide);
  if (!areWide.includes(false)) return true;
  if (!areWide.includes(true) && withoutLabel(name) !== withoutLabel(another)) return false;
  return matches(other, mailTo(`${name}@${domain}`)) || matches(one, mailTo(`${another}@${domain}`));
}

function withoutLabel(name: string): string {
  return nameKey(name).split('+')[0] ?? '';
}

function matches(rule: RuleState, mail: Mail): boolean {
  const { routes } = createRouter({ aliases: [], rules: [rule], mode: 'rules', fallback: null });
  return routes(mail).some(({ kind }) => kind === 'rule');
}
