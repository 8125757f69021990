import { nameKey, takesOthers, type DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { dependenciesOf } from '../plan/dependencies.ts';
import { hasTrouble, isHeldUp, itemOf, STAGE_ONE_FAILED } from './ledger.ts';
import { chainOf } from './payload.ts';
import type { RoundInput } from './round.ts';
import { isStopped, stopReason, type Run } from './run.ts';

/** Why a change must not be sent now; null: it may. */
export type Gate = (change: Change) => string | null;

/**
 * A catch-all, a pattern, or an alias whose labelled addresses have aliases of their own takes the mail of an alias that
 * is not there: it changes only when what was to be added beside it is in place.
 */
export function stageOneGate({ ledger }: Run): Gate {
  return (change) => {
    if (change.kind !== 'alias' || change.action !== 'update') return null;
    const undone = ledger.undone.get(change.domain)?.values() ?? [];
    const missing = Iterator.from(undone).find(
      ({ kind, action, name }) => kind === 'alias' && action === 'add' && takesMailOf(change.name, name),
    );
    return missing === undefined
      ? null
      : `alias ${missing.name}, whose mail it takes meanwhile, was not added`;
  };
}

function takesMailOf(name: string, missing: string): boolean {
  return takesOthers(name) || nameKey(missing).startsWith(`${nameKey(name)}+`);
}

/** What takes a route away goes only where everything that was to replace it is in place, and nobody still needs it. */
export function stageTwoGate(run: Run, { work, all, unread }: RoundInput): Gate {
  const dependencies = dependenciesByItem([...work, ...all, ...run.input.heldBack]);
  const held = new Set([...run.input.heldBack.map(({ domain }) => domain), ...unread]);
  return (change) => {
    if (isStopped(run)) return stopReason(run);
    const chain = chainOf(change.kind);
    if (isHeldUp(run.ledger, change.domain, chain)) return STAGE_ONE_FAILED;
    if (chain === 'routes' && run.misplaced.has(change.domain)) return MISPLACED;
    const others = dependencies.get(itemOf(change)) ?? NO_DOMAINS;
    const holder = [...others].find((domain) => held.has(domain) || hasTrouble(run.ledger, domain));
    return holder === undefined ? null : `${holder} may still forward there`;
  };
}

const MISPLACED = 'a rule came back at another rank than was sent, and its order is put right first';
const NO_DOMAINS: ReadonlySet<DomainName> = new Set();

/** By item, for what is planned again on the way is another change of the same item. */
function dependenciesByItem(changes: readonly Change[]): ReadonlyMap<string, ReadonlySet<DomainName>> {
  const byItem = new Map<string, ReadonlySet<DomainName>>();
  for (const [change, domains] of dependenciesOf(changes)) {
    const item = itemOf(change);
    byItem.set(item, domains.union(byItem.get(item) ?? NO_DOMAINS));
  }
  return byItem;
}
