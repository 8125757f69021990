import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { settleCatchAll } from '../plan/catch-all.ts';
import { dependenciesOf } from '../plan/dependencies.ts';
import { requestsOf, type DomainRequests, type StageRequests, type WriteItem } from '../plan/requests.ts';
import { freshen } from './freshen.ts';
import { hasTrouble, isHeldUp, STAGE_ONE_FAILED, stopFor, stopRun } from './ledger.ts';
import { chainOf } from './payload.ts';
import { isStopped, markSkipped, stopReason, type Run } from './run.ts';
import { carryOut } from './send.ts';
import { sideBySide } from './side-by-side.ts';

const DOMAINS_AT_ONCE = 16;

export interface RoundInput {
  /** What is to be sent. */
  readonly work: readonly Change[];
  /** All that is still to be done, what is not sent again included: routes depend on it. */
  readonly all: readonly Change[];
}

/**
 * Sends the work of one round: new domains first, for what the service makes with them decides the rest; then stage 1 of
 * all domains; then, when all of it has ended, stage 2.
 */
export async function executeRound(run: Run, { work, all }: RoundInput): Promise<void> {
  const { additions, others } = splitAdditions(work);
  for (const wave of wavesOf(run, additions)) await executeWave(run, wave, NO_GATE);
  const settled = await settleNewDomains(run, others);
  for (const wave of wavesOf(run, settled)) if (wave.stage === 1) await executeWave(run, wave, NO_GATE);
  const late = await freshen(
    run,
    settled.filter(({ stage }) => stage === 2),
  );
  const gate = stageTwoGate(run, { work: late, all });
  for (const wave of wavesOf(run, late)) if (wave.stage === 2) await executeWave(run, wave, gate);
}

function splitAdditions(work: readonly Change[]): {
  readonly additions: readonly Change[];
  readonly others: readonly Change[];
} {
  const isAddition = (change: Change): boolean => change.kind === 'domain' && change.action === 'add';
  return { additions: work.filter(isAddition), others: work.filter((change) => !isAddition(change)) };
}

function wavesOf(run: Run, changes: readonly Change[]): readonly StageRequests[] {
  return requestsOf({ changes }, { version: run.ports.client.version, batches: run.batches });
}

/** Why a change must not be sent now; null: it may. */
type Gate = (change: Change) => string | null;
const NO_GATE: Gate = () => null;

async function executeWave(run: Run, wave: StageRequests, gate: Gate): Promise<void> {
  await sideBySide(wave.domains, DOMAINS_AT_ONCE, (domain) => executeDomain(run, domain, gate));
}

/** Steps and requests of a domain strictly one after another; the gate is asked anew before each request. */
async function executeDomain(run: Run, { steps }: DomainRequests, gate: Gate): Promise<void> {
  for (const { requests } of steps) {
    for (const request of requests) {
      const items = request.items.filter((item) => passes(run, item, gate));
      if (items.length > 0) await carryOut(run, { ...request, items });
    }
  }
}

function passes(run: Run, { change }: WriteItem, gate: Gate): boolean {
  const reason = gate(change);
  if (reason !== null) markSkipped(run, [change], reason);
  return reason === null;
}

/** What takes a route away goes only where everything that was to replace it is in place. */
function stageTwoGate(run: Run, { work, all }: RoundInput): Gate {
  const sent = new Set(work);
  const open = [...work, ...all.filter((change) => !sent.has(change)), ...run.input.heldBack];
  const dependencies = dependenciesOf(open);
  const held = new Set(run.input.heldBack.map(({ domain }) => domain));
  return (change) => {
    if (isStopped(run)) return stopReason(run);
    if (isHeldUp(run.ledger, change.domain, chainOf(change.kind))) return STAGE_ONE_FAILED;
    const others = dependencies.get(change) ?? NO_DOMAINS;
    const holder = [...others].find((domain) => held.has(domain) || hasTrouble(run.ledger, domain));
    return holder === undefined ? null : `${holder} still forwards there`;
  };
}

const NO_DOMAINS: ReadonlySet<DomainName> = new Set();

/** Resolves the conditional changes of the domains that were just added; what belongs to one that was not is skipped. */
async function settleNewDomains(run: Run, changes: readonly Change[]): Promise<readonly Change[]> {
  const missing = domainsNotAdded(run);
  const settled = new Map(Map.groupBy(changes, ({ domain }) => domain));
  await sideBySide([...settled], DOMAINS_AT_ONCE, async ([domain, ours]) => {
    if (missing.has(domain)) {
      markSkipped(run, ours, isStopped(run) ? stopReason(run) : `${domain} was not added`);
      settled.delete(domain);
    } else if (ours.some(({ conditional }) => conditional)) {
      settled.set(domain, [...(await settleNewDomain(run, domain, ours))]);
    }
  });
  return [...settled.values()].flat();
}

function domainsNotAdded(run: Run): ReadonlySet<DomainName> {
  const entries = [...run.ledger.failed.values(), ...run.ledger.skipped.values()];
  const additions = entries.filter(({ change }) => change.kind === 'domain' && change.action === 'add');
  return new Set(additions.map(({ change }) => change.domain));
}

async function settleNewDomain(
  run: Run,
  domain: DomainName,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const live = isStopped(run) ? null : await run.ports.client.listAliases(domain);
  if (live?.ok === true) return settleCatchAll(changes, domain, live.value);
  const stop = live === null ? null : stopFor(live.error);
  if (stop !== null) stopRun(run.ledger, stop);
  const reason =
    live === null
      ? stopReason(run)
      : `its aliases could not be read after it was added: ${live.error.message}`;
  const conditional = changes.filter((change) => change.conditional);
  markSkipped(run, conditional, reason);
  return changes.filter((change) => !change.conditional);
}
