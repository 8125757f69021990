import { itemKey } from '../kinds/item-key.ts';
import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { lazily } from '../routing/lazily.ts';
import { lossesByChanges, type PlanInput } from './plan.ts';

/**
 * Returns the addresses that lose delivery by changes of a domain, judged by the latest read, and that do not lose it
 * by the run's plan. `made` is true for changes of other domains that are in place, because these domains may have
 * been read earlier.
 */
export type LossCheck = (
  domain: DomainName,
  going: readonly Change[],
  made: (change: Change) => boolean,
) => readonly string[];

/** The inputs of plans: `latest` for one domain by its latest read, `first` for all domains by the first read. */
export interface LossInputs {
  readonly latest: (domain: DomainName) => PlanInput;
  readonly first: () => PlanInput;
}

/** Creates a check for a run with these planned changes. */
export function createLossCheck(planned: readonly Change[], { latest, first }: LossInputs): LossCheck {
  const byDomain = Map.groupBy(planned, ({ domain }) => domain);
  const known = lazily(() => {
    const changesOf = (domain: DomainName): readonly Change[] => byDomain.get(domain) ?? [];
    return new Set(lossesByChanges(first(), { changesOf }).map(({ address }) => address));
  });
  return (domain, going, made) => {
    const items = new Set(going.map(itemKey));
    const lost = lossesByChanges(latest(domain), {
      changesOf: (_, changes) => changes.filter((change) => items.has(itemKey(change))),
      elsewhere: (name) => byDomain.get(name)?.filter(made) ?? [],
    });
    return lost.map(({ address }) => address).filter((address) => !known().has(address));
  };
}
