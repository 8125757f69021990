import { itemKey } from '../kinds/item-key.ts';
import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { lazily } from '../routing/lazily.ts';
import { lossesByChanges, type PlanInput } from './plan.ts';

/**
 * Returns the addresses that lose delivery by changes of a domain as the account is by the latest read, other than those that
 * lose it by the plan of the run. `made`: tells changes of other domains that are in place, for these may have been read before.
 */
export type LossCheck = (
  domain: DomainName,
  going: readonly Change[],
  made: (change: Change) => boolean,
) => readonly string[];

/** What a plan is made from: of one domain by the latest read, or of all by the first. */
export interface LossInputs {
  readonly latest: (domain: DomainName) => PlanInput;
  readonly first: () => PlanInput;
}

/** `planned`: the changes of the run. */
export function createLossCheck(planned: readonly Change[], { latest, first }: LossInputs): LossCheck {
  const byDomain = Map.groupBy(planned, ({ domain }) => domain);
  const known = lazily(() => {
    const changesOf = (domain: DomainName): readonly Change[] => byDomain.get(domain) ?? [];
    return new Set(lossesByChanges(first(), { changesOf }).map(({ address }) => address));
  });
  return (domain, going, made) => {
    const items = new Set(going.map(itemKey));
    const lossesNow = (elsewhere: (name: DomainName) => readonly Change[]): readonly string[] =>
      lossesByChanges(latest(domain), {
        changesOf: (_, changes) => changes.filter((change) => items.has(itemKey(change))),
        elsewhere,
      }).map(({ address }) => address);
    if (lossesNow(() => []).length === 0) return [];
    const lost = lossesNow((name) => byDomain.get(name)?.filter(made) ?? []);
    return lost.filter((address) => !known().has(address));
  };
}
