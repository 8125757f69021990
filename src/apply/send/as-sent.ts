import { sameForward } from '../../model/destinations.ts';
import type { RuleUpdate } from '../../api/client.ts';
import type { ObservedAlias, ObservedDomain, ObservedRule } from '../../model/observed.ts';
import { sameMatch, sameSetting, SETTINGS, type DomainState } from '../../model/resources.ts';

/** Whether a live alias forwards as it was sent. */
export function isAlias(forward: string): (row: ObservedAlias) => boolean {
  return (row) => sameForward(row.forward, forward);
}

/** Whether a live rule is as it was sent; what was left out does not count. */
export function isRule({
  match,
  forward,
  rank,
  active,
}: Omit<RuleUpdate, 'id'>): (row: ObservedRule) => boolean {
  return (row) =>
    sameMatch(row.match, match) &&
    sameForward(row.forward, forward) &&
    row.rank === (rank ?? row.rank) &&
    row.active === (active ?? row.active);
}

/** Whether a live domain has the settings that were sent. */
export function isDomain(state: DomainState): (row: ObservedDomain) => boolean {
  return (row) =>
    SETTINGS.every((field) => state[field] === undefined || sameSetting(field, state[field], row[field]));
}
