import { itemKey } from '../../../../src/core/kinds/item-key.ts';
import { changeName } from '../../../../src/core/model/report.ts';
import type { Change, Plan } from '../../../../src/core/model/plan.ts';
import { requestsOf } from '../../../../src/core/plan/requests/requests.ts';
import { aliasSection, desired, live, liveAliases, observed, plan, present } from '../support/build.ts';

export const HUB = 'hub.example';
export const RELAY = 'relay.example';
export const A = 'a@x.example';
export const B = 'b@x.example';

type Aliases = Readonly<Record<string, string>>;
type Wanted = Readonly<Record<string, string | false>>;

export interface Pair {
  readonly live: Aliases;
  readonly wanted?: Wanted;
}

/** Plans domains whose aliases route. Domains without wanted items are not managed. */
export function planOf(domains: Readonly<Record<string, Pair>>): Plan {
  const managed = Object.entries(domains).flatMap(([domain, { wanted }]) =>
    wanted === undefined ? [] : [present(domain, { aliases: aliasSection(wanted) })],
  );
  const rows = Object.entries(domains).map(([domain, pair]) =>
    live(domain, { routingEngine: 'alias', aliases: liveAliases(pair.live) }),
  );
  return plan(desired(managed), observed(rows));
}

/** Returns `name@domain <- name@domain` for each waiting change, with the new stage of moved changes. */
export function waitsIn({ changes, waits }: Plan): readonly string[] {
  const text = ({ name, domain, stage }: Change): string => `${name}@${domain.split('.')[0]} ${stage}`;
  const byItem = new Map(
    changes.map((change) => {
      const { kind, domain, name } = changeName(change);
      return [`${domain}\n${kind}\n${change.kind === 'rule' ? change.id : name}`, change];
    }),
  );
  return [...waits]
    .flatMap(([item, firsts]) => {
      const change = byItem.get(item);
      return change === undefined
        ? []
        : [`${text(change)} <- ${[...firsts.keys()].map(text).sort().join(', ')}`];
    })
    .sort();
}

/** Returns `name@domain <- name@domain: why` for each wait. */
export function reasonsIn({ changes, waits }: Plan): readonly string[] {
  const text = ({ name, domain }: Change): string => `${name}@${domain.split('.')[0]}`;
  return changes
    .flatMap((change) =>
      [...(waits.get(itemKey(change)) ?? [])].map(
        ([first, why]) => `${text(change)} <- ${text(first)}: ${why}`,
      ),
    )
    .sort();
}

/** Number of changes in each part. */
export function partsIn(made: Plan): readonly string[] {
  return requestsOf(made, { version: 'v4', batches: 'allowed' }).map(({ stage, domains }) => {
    const sent = domains.flatMap(({ domain, requests }) =>
      requests.flatMap(({ items }) => items.map(({ change }) => `${change.name}@${domain.split('.')[0]}`)),
    );
    return `${stage}: ${sent.join(' ')}`;
  });
}
