import { itemKey } from '../kinds/item-key.ts';
import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
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

/** `planned`: the changes of the run; `inputOf`: what a plan of one domain is made from, by the latest or the first read. */
export function createLossCheck(
  planned: readonly Change[],
  inputOf: (domain: DomainName, read: 'latest' | 'first') => PlanInput,
): LossCheck {
  const byDomain = Map.groupBy(planned, ({ domain }) => domain);
  return (domain, going, made) => {
    const items = new Set(going.map(itemKey));
    const lossesNow = (elsewhere: (name: DomainName) => readonly Change[]): readonly string[] =>
      lossesByChanges(inputOf(domain, 'latest'), {
        isGoing: (change) => items.has(itemKey(change)),
        elsewhere,
      }).map(({ address }) => address);
    if (lossesNow(() => []).length === 0) return [];
    const lost = lossesNow((name) => byDomain.get(name)?.filter(made) ?? []);
    if (lost.length === 0) return [];
    const isGoing = (): boolean => true;
    const atStart = lossesByChanges(inputOf(domain, 'first'), {
      isGoing,
      elsewhere: (name) => byDomain.get(name) ?? [],
    });
    const known = new Set(atStart.map(({ address }) => address));
    return lost.filter((address) => !known.has(address));
  };
}
