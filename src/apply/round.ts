import type { DomainName } from '../model/names.ts';
import type { ObservedAlias } from '../model/observed.ts';
import type { Change } from '../model/plan.ts';
import { NO_PRIOR_DOMAIN } from '../model/prior.ts';
import { signature } from '../plan/diff/signature.ts';
import { settleCatchAll } from '../plan/diff/catch-all.ts';
import type { WriteItem } from '../plan/requests/order.ts';
import {
  requestsOf,
  type DomainRequests,
  type StageRequests,
  type StepRequests,
} from '../plan/requests/requests.ts';
import { freshen } from './freshen.ts';
import {
  dependenciesOfRound,
  forwarderGate,
  stageOneGate,
  stageTwoGate,
  type Gate,
  type RoundInput,
} from './gate.ts';
import { stopOn } from './ledger.ts';
import { isStopped, markSkipped, stopReason, type Run } from './run.ts';
import { carryOut } from './send/send.ts';
import { sideBySide } from './side-by-side.ts';

const DOMAINS_AT_ONCE = 16;

/**
 * Sends the work of one round: new domains first, for what the service makes with them decides the rest; then stage 1 of
 * all domains; then, when all of it has ended, stage 2.
 */
export async function executeRound(run: Run, round: RoundInput): Promise<void> {
  run.misplaced.clear();
  run.seen.clear();
  const { additions, others } = splitAdditions(round.work);
  for (const { domains } of wavesOf(run, additions)) {
    await sideBySide(domains, DOMAINS_AT_ONCE, ({ steps }) => executeSteps(run, steps, NO_GATE));
  }
  const settled = await settleNewDomains(run, others);
  const waves = wavesOf(run, settled);
  const dependencies = dependenciesOfRound(run, { ...round, work: settled });
  const gate = stageTwoGate(run, round, dependencies);
  for (const { stage, domains } of waves) {
    if (stage === 1) {
      await sideBySide(domains, DOMAINS_AT_ONCE, ({ steps }) => executeSteps(run, steps, stageOneGate(run)));
      continue;
    }
    const passage = await forwarderGate(run, domains.flatMap(changesOf), { gate, dependencies });
    await sideBySide(domains, DOMAINS_AT_ONCE, async (requests) => {
      await executeStageTwo(run, requests, passage);
    });
  }
  for (const { stage, domains } of waves) {
    if (stage === 2) for (const { domain } of domains) run.seen.delete(domain);
  }
}

function changesOf({ steps }: DomainRequests): readonly Change[] {
  return steps.flatMap(({ requests }) => requests.flatMap(({ items }) => items.map(({ change }) => change)));
}

/** Whether a domain must stay is asked before it is read for the last time: the answer may take a while. */
async function executeStageTwo(run: Run, requests: DomainRequests, gate: Gate): Promise<void> {
  const isDeleted = changesOf(requests).some((change) => change.kind === 'domain' && gate(change) === null);
  const reason = isDeleted ? ((await run.ports.whyKeepDomain?.(requests.domain)) ?? null) : null;
  const own: Gate = (change) => gate(change) ?? reason;
  await executeSteps(run, await freshSteps(run, requests, own), own);
}

function splitAdditions(work: readonly Change[]): {
  readonly additions: readonly Change[];
  readonly others: readonly Change[];
} {
  const isAddition = (change: Change): boolean => change.kind === 'domain' && change.action === 'add';
  return { additions: work.filter(isAddition), others: work.filter((change) => !isAddition(change)) };
}

function wavesOf(run: Run, changes: readonly Change[]): readonly StageRequests[] {
  const { batches, batchesById } = run;
  return requestsOf({ changes }, { version: run.ports.client.version, batches, batchesById });
}

const NO_GATE: Gate = () => null;

/** Steps and requests of a domain strictly one after another; the gate is asked anew before each request. */
async function executeSteps(run: Run, steps: readonly StepRequests[], gate: Gate): Promise<void> {
  for (const request of steps.flatMap(({ requests }) => requests)) {
    const items = request.items.filter((item) => passes(run, item, gate));
    if (items.length > 0) await carryOut(run, { ...request, items });
  }
}

function passes(run: Run, { change }: WriteItem, gate: Gate): boolean {
  const reason = gate(change);
  if (reason !== null) markSkipped(run, [change], reason);
  return reason === null;
}

/** A domain's steps of stage 2 by a read right before them; none is made where nothing may be sent. */
async function freshSteps(
  run: Run,
  { domain, steps }: DomainRequests,
  gate: Gate,
): Promise<readonly StepRequests[]> {
  const items = steps.flatMap(({ requests }) => requests.flatMap((request) => request.items));
  const planned = items.filter((item) => passes(run, item, gate)).map(({ change }) => change);
  if (planned.length === 0) return [];
  const fresh = await freshen(run, domain, planned);
  if (fresh === planned) return steps;
  const late = wavesOf(run, fresh).filter(({ stage }) => stage === 2);
  return late.flatMap(({ domains }) => domains.flatMap((requests) => requests.steps));
}

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
  const conditional = changes.filter((change) => change.conditional);
  const certain = changes.filter((change) => !change.conditional);
  if (isStopped(run)) {
    markSkipped(run, conditional, stopReason(run));
    return certain;
  }
  const live = await run.ports.client.listAliases(domain);
  if (live.ok) {
    noteNewDomain(run, domain, live.value);
    await keepCatchAll(run, domain, live.value);
    return settleCatchAll(changes, domain, live.value);
  }
  stopOn(run.ledger, live.error);
  markSkipped(run, conditional, `its aliases could not be read after it was added: ${live.error.message}`);
  return certain;
}

/** From now on its reading ages like any other. */
function noteNewDomain(run: Run, domain: DomainName, aliases: readonly ObservedAlias[]): void {
  const added = run.added.get(domain);
  if (added === undefined || added === null) return;
  run.observed.domains.set(domain, { ...added, aliases, readAt: run.ports.clock.monotonic() });
}

/** At once: a run that is killed leaves the next one what tells the service's own `*` from anybody's. */
async function keepCatchAll(run: Run, domain: DomainName, aliases: readonly ObservedAlias[]): Promise<void> {
  const { desired, prior } = run.input;
  const made = aliases.find(({ name }) => name === '*');
  if (made === undefined || !run.added.has(domain)) return;
  const givenCatchAll = signature({ kind: 'alias', state: made }, desired.references);
  run.givenCatchAlls.set(domain, givenCatchAll);
  // It was another domain of that name that was left in place.
  const { settled: _, ...known } = prior.domains.get(domain) ?? NO_PRIOR_DOMAIN;
  await run.ports.state.remember({
    domains: new Map([[domain, { ...known, givenCatchAll }]]),
    manifest: null,
  });
}
