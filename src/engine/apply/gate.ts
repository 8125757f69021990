import { itemKey } from '../../core/kinds/item-key.ts';
import { KINDS } from '../../core/kinds/registry.ts';
import { plural, type DomainName } from '../../core/model/names.ts';
import type { Change, Waits } from '../../core/model/plan.ts';
import { dependenciesOf } from '../../core/plan/requests/dependencies.ts';
import type { GateName } from '../../core/plan/requests/order.ts';
import { matchesMissing } from '../../core/plan/waits/beside.ts';
import { WAIT_REASONS } from '../../core/plan/withhold.ts';
import {
  hasTrouble,
  isHeldUp,
  isUnseen,
  recordSkips,
  STAGE_ONE_FAILED,
  stopOn,
  whyStopped,
  type Ledger,
} from './ledger.ts';
import type { KnownAccount } from './known-account.ts';

/** Returns why a change must not be sent now; null means that it may be sent. */
export type Gate = (change: Change) => string | null;

/** Facts on which the gates decide. */
export interface GateEvidence {
  readonly ledger: Ledger;
  /** Domains that have held-back or unknown parts. */
  readonly held: ReadonlySet<DomainName>;
  readonly dependencies: Dependencies;
  readonly waits: Waits;
}

/** Returns a gate that asks these gates in this order. */
export function gateOf(names: readonly GateName[], evidence: GateEvidence): Gate {
  return (change) => {
    for (const name of names) {
      const reason = GATES[name](change, evidence);
      if (reason !== null) return reason;
    }
    return null;
  };
}

const GATES: Readonly<Record<GateName, (change: Change, evidence: GateEvidence) => string | null>> = {
  'aliases beside it'(change, { ledger }) {
    const beside = findBeside(ledger, change);
    return beside && `alias ${beside.name}, whose mail it matches meanwhile, was not added`;
  },
  'the run goes on': (_, { ledger }) => whyStopped(ledger),
  'stage 1 of its domain': (change, { ledger }) => (isHeldUp(ledger, change) ? STAGE_ONE_FAILED : null),
  'rules in order': ({ domain, kind }, { ledger }) =>
    KINDS[kind].routesMail && ledger.misplaced.has(domain) ? MISPLACED : null,
  'who forwards to it'(change, { ledger, held, dependencies }) {
    const others = dependencies.get(itemKey(change)) ?? NO_DOMAINS;
    const holder = [...others].find((domain) => held.has(domain) || hasTrouble(ledger, domain));
    return holder === undefined ? null : `${holder} may still forward there`;
  },
  'what it waits for': whyWaiting,
};

/**
 * Finds an alias that is not added yet and whose mail another alias matches until then. That other alias must not
 * change meanwhile.
 */
function findBeside(ledger: Ledger, change: Change): Change | null {
  if (change.kind !== 'alias' || change.action !== 'update') return null;
  const undone = ledger.undone.get(change.domain)?.values() ?? [];
  const matches = matchesMissing(change.name);
  const isBeside = ({ kind, action, name }: Change): boolean =>
    kind === 'alias' && action === 'add' && matches(name);
  return Iterator.from(undone).find(isBeside) ?? null;
}

/** Returns why a change has to wait for others. null means that those are done. */
function whyWaiting(change: Change, { ledger, waits }: GateEvidence): string | null {
  const found = waits
    .get(itemKey(change))
    ?.entries()
    .find(([one]) => ledger.undone.get(one.domain)?.has(itemKey(one)));
  if (found === undefined) return null;
  const [{ kind, name, domain, action }, why] = found;
  const what = kind === 'domain' ? name : `${name} of ${domain}`;
  return `${what}, ${WAIT_REASONS[why]}, was not ${DONE[action]}`;
}

const DONE = { add: 'added', update: 'updated', move: 'moved', delete: 'deleted' } as const;

/** Facts known right before a part of stage 2. */
export interface Passage {
  readonly gate: Gate;
  /** True if the gate stops a change only because no listing shows yet what this run ended elsewhere. */
  readonly awaits: (change: Change) => boolean;
  /** The domains that were read. */
  readonly seen: ReadonlySet<DomainName>;
}

/**
 * Returns the gate for the routes that one part of stage 2 removes. `later` holds the changes of the parts after it.
 * Reads the other domains that forwarded there right before the part. Stops a change if one of them may still forward
 * there.
 */
export async function forwarderGate(
  { late, later }: { readonly late: readonly Change[]; readonly later: readonly Change[] },
  gate: Gate,
  { ledger, dependencies, account }: GateEvidence & { readonly account: KnownAccount },
): Promise<Passage> {
  const open = late.filter((change) => gate(change) === null);
  const names = new Set(open.flatMap((change) => [...(dependencies.get(itemKey(change)) ?? NO_DOMAINS)]));
  if (names.size === 0) return { gate, awaits: () => false, seen: names };
  const read = await account.reread(names);
  if (!read.ok) stopOn(ledger, read.error);
  const plan = account.planAgain(names);
  const unread = new Set(plan.withheld.map(({ domain }) => domain));
  const going = new Set([...late, ...later].map(itemKey));
  const staying = plan.changes.filter((change) => !going.has(itemKey(change)));
  const forwarding = dependenciesByItem(open, staying);
  const lasting = dependenciesByItem(
    open,
    staying.filter((change) => !isUnseen(ledger, change)),
  );
  const holderOf = (change: Change, forwarders: Dependencies): DomainName | undefined => {
    const item = itemKey(change);
    const unknown = unread.intersection(dependencies.get(item) ?? NO_DOMAINS);
    const [holder] = (forwarders.get(item) ?? NO_DOMAINS).union(unknown);
    return holder;
  };
  return {
    gate(change) {
      const holder = holderOf(change, forwarding);
      return gate(change) ?? (holder === undefined ? null : `${holder} may still forward there`);
    },
    awaits: (change) =>
      gate(change) === null &&
      holderOf(change, forwarding) !== undefined &&
      holderOf(change, lasting) === undefined,
    seen: names,
  };
}

/**
 * Returns these changes of a domain's stage 2. Leaves out all changes of routes if, by the latest read, they would
 * lose mail that the plan does not lose. The account was then changed during the run.
 */
export function withoutNewLosses(
  domain: DomainName,
  going: readonly Change[],
  { ledger, account }: { readonly ledger: Ledger; readonly account: KnownAccount },
): readonly Change[] {
  const lost = account.newLosses(domain, going, (change) => ledger.done.has(itemKey(change)));
  if (lost.length === 0) return going;
  const more = lost.length > 1 ? ` and ${plural(lost.length - 1, 'other address')}` : '';
  const reason = `mail to ${lost[0]}${more} would be lost by it: the account was changed during the run`;
  const takesRoute = ({ kind }: Change): boolean => KINDS[kind].routesMail;
  recordSkips(ledger, going.filter(takesRoute), reason);
  return going.filter((change) => !takesRoute(change));
}

/** Other domains that forward to what a change removes, by item. */
export type Dependencies = ReadonlyMap<string, ReadonlySet<DomainName>>;

const MISPLACED = 'a rule has another rank than was sent; its order is corrected first';
const NO_DOMAINS: ReadonlySet<DomainName> = new Set();

/** Returns dependencies by item, because a change that is planned again is another change of the same item. */
export function dependenciesByItem(
  changes: readonly Change[],
  ending: readonly Change[] = changes,
): Dependencies {
  const byItem = new Map<string, ReadonlySet<DomainName>>();
  for (const [change, domains] of dependenciesOf(changes, ending)) {
    const item = itemKey(change);
    byItem.set(item, domains.union(byItem.get(item) ?? NO_DOMAINS));
  }
  return byItem;
}
