import { itemKey } from '../../core/kinds/item-key.ts';
import { KINDS } from '../../core/kinds/registry.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Change, Waits } from '../../core/model/plan.ts';
import {
  DOMAINS_AT_ONCE,
  isAddedDomain,
  type DomainRequests,
  type StageRequests,
  type WriteRequest,
} from '../../core/plan/requests/requests.ts';
import {
  changesOfRequests,
  verificationOrder,
  type VerificationOrder,
} from '../../core/plan/requests/verification-order.ts';
import { approve, isApprovedBy, isHeldBack, type Approvals } from './approval.ts';
import { openFirstPass, type FirstPass } from './first-pass.ts';
import {
  dependenciesByItem,
  forwarderGate,
  withoutNewLosses,
  type Gate,
  type Passage,
  type GateEvidence,
  gateOf,
} from './gate.ts';
import { forget, isUndone, isUnseen, recordSkips, stopOn, whyStopped, type Ledger } from './ledger.ts';
import { isNotKept } from './memory/not-kept.ts';
import type { KnownAccount } from './known-account.ts';
import { isNotAdded, openRoundWork, type RoundWork } from './new-domains.ts';
import type { ApplyPorts } from './ports.ts';
import type { Sender } from './send/send.ts';
import { sideBySide } from './side-by-side.ts';

/** Work of one round. */
export interface Round {
  /** Requests to send. */
  readonly stages: readonly StageRequests[];
  /** All changes that are or may be still open, including those not sent again. Routes depend on them. */
  readonly pending: readonly Change[];
  readonly waits: Waits;
  /** Domains whose forwards are not known. */
  readonly unread: Iterable<DomainName>;
}

/** Pauses between reads of written items before they count as missing, because listings may be late. Milliseconds. */
export const PAUSES_MS = [2_000, 10_000] as const;

/** Parts shared by all rounds. */
export interface RoundParts extends Pick<ApplyPorts, 'whyKeepDomain' | 'clock' | 'signal'> {
  readonly ledger: Ledger;
  readonly account: KnownAccount;
  readonly approvals: Approvals;
  readonly sender: Sender;
}

/**
 * Sends the work of one round: stage 1 of all domains, then stage 2 when stage 1 has ended. Each domain is verified
 * meanwhile. Returns the domains that were read after the last request about them.
 */
export async function sendRound(round: Round, parts: RoundParts): Promise<ReadonlySet<DomainName>> {
  const { ledger, sender } = parts;
  ledger.misplaced.clear();
  const planned = outlookOf(round.stages, round, parts);
  const firstPass = openFirstPass(parts);
  const work = openRoundWork(round.stages, parts);
  const early = round.stages.filter(({ stage }) => stage === 1);
  for (const [part, own] of early.entries()) {
    await sendEarlyPart({ ...own, part, work, ...planned }, firstPass, parts);
  }
  const changes = await work.left();
  const late =
    changes === 'as-planned'
      ? round.stages.filter(({ stage }) => stage === 2)
      : sender.requestsOf({ changes, waits: round.waits }).filter(({ stage }) => stage === 2);
  const outlook = changes === 'as-planned' ? planned : outlookOf([...early, ...late], round, parts);
  for (const [index, own] of late.entries()) {
    const later = late.slice(index + 1).flatMap((part) => part.domains.flatMap(changesOfRequests));
    await sendLatePart({ ...own, part: early.length + index, later, ...outlook }, firstPass, parts);
  }
  return firstPass.seen();
}

/** Facts derived from everything that a round sends. */
interface Outlook {
  readonly order: VerificationOrder;
  readonly evidence: GateEvidence;
  /** Items of stage 2. */
  readonly waiting: ReadonlySet<string>;
}

function outlookOf(
  stages: readonly StageRequests[],
  { pending, waits, unread }: Round,
  { ledger, approvals }: RoundParts,
): Outlook {
  const work = stages.flatMap(({ domains }) => domains.flatMap(changesOfRequests));
  const heldBack = [...approvals.heldBack.values()];
  const dependencies = dependenciesByItem([...work, ...pending, ...heldBack]);
  const heldRoutes = heldBack.filter(({ kind }) => KINDS[kind].routesMail);
  const held = new Set([...heldRoutes.map(({ domain }) => domain), ...unread]);
  return {
    order: verificationOrder(stages, (change) => dependencies.get(itemKey(change))),
    evidence: { ledger, held, dependencies, waits },
    waiting: new Set(work.filter(({ stage }) => stage === 2).map(itemKey)),
  };
}

interface RoundPart extends Outlook, StageRequests {
  /** Part number, counted from 0. */
  readonly part: number;
}

/** Sends a part of stage 1. A domain that waits to be added does not hold up the others. */
async function sendEarlyPart(
  { part, domains, gates, order, evidence, work }: RoundPart & { readonly work: RoundWork },
  firstPass: FirstPass,
  { ledger, account, sender }: RoundParts,
): Promise<void> {
  const isNew = ({ requests }: DomainRequests): boolean => requests.some(isAddedDomain);
  await account.expectAdded(domains.filter(isNew).map(({ domain }) => domain));
  const send = async ({ domain, requests }: DomainRequests): Promise<void> => {
    for (const addition of requests.filter(isAddedDomain)) await sender.send(addition);
    const left = await work.settle(domain);
    const rest =
      left === 'as-planned'
        ? requests.filter((request) => !isAddedDomain(request))
        : requestsOfStage(1, sender.requestsOf({ changes: left }));
    await sendAll({ ledger, sender }, rest, gateOf(gates, evidence));
    const isLast =
      left === 'as-planned' ? order.isDueAfter(part, domain) : left.every(({ stage }) => stage === 1);
    if (isLast && !isNotAdded(ledger, domain)) firstPass.verify(domain);
  };
  await Promise.all([
    sideBySide(domains.filter(isNew), DOMAINS_AT_ONCE, send),
    sideBySide(
      domains.filter((own) => !isNew(own)),
      DOMAINS_AT_ONCE,
      send,
    ),
  ]);
}

/**
 * Sends a part of stage 2. A change that removes a route waits until a listing shows the route's replacement. It is
 * tried again after each pause, and skipped after the last.
 */
async function sendLatePart(
  {
    part,
    domains,
    gates,
    later,
    order,
    evidence,
    waiting: inStageTwo,
  }: RoundPart & {
    /** Changes of the parts that follow. */
    readonly later: readonly Change[];
  },
  firstPass: FirstPass,
  parts: RoundParts,
): Promise<void> {
  const { ledger, clock, signal } = parts;
  const ownGate = gateOf(gates, evidence);
  let waiting = domains;
  for (const pause of [...PAUSES_MS, null]) {
    const late = waiting.flatMap(changesOfRequests);
    const passage = await forwarderGate({ late, later }, ownGate, { ...evidence, ...parts });
    for (const domain of passage.seen) if (order.isSeenBefore(part, domain)) firstPass.saw(domain);
    const unseen = new Map<DomainName, ReadonlySet<Change>>();
    await sideBySide(waiting, DOMAINS_AT_ONCE, async (own) => {
      const early = await sendStageTwo(parts, own, { ...passage, waiting: inStageTwo });
      const isLast = early.length === 0 || pause === null || whyStopped(ledger) !== null;
      if (!isLast) unseen.set(own.domain, new Set(early));
      else if (order.isDueAfter(part, own.domain)) firstPass.verify(own.domain);
    });
    if (unseen.size === 0 || pause === null) return;
    await clock.sleep(pause, signal);
    for (const change of unseen.values().flatMap((changes) => changes)) forget(ledger, change);
    waiting = waiting.flatMap((own) => {
      const changes = unseen.get(own.domain);
      return changes === undefined ? [] : [requestsFor(own, changes)];
    });
  }
}

/** Returns the requests of a domain for these changes alone. */
function requestsFor({ domain, requests }: DomainRequests, changes: ReadonlySet<Change>): DomainRequests {
  return {
    domain,
    requests: requests
      .map((request) => ({ ...request, items: request.items.filter(({ change }) => changes.has(change)) }))
      .filter(({ items }) => items.length > 0),
  };
}

/** Sends requests strictly one after another and asks the gate before each. */
async function sendAll(
  { ledger, sender }: Pick<RoundParts, 'ledger' | 'sender'>,
  requests: readonly WriteRequest[],
  gate: Gate,
): Promise<void> {
  for (const request of requests) {
    const items = request.items.filter(({ change }) => passes(ledger, change, gate));
    if (items.length > 0) await sender.send({ ...request, items });
  }
}

function passes(ledger: Ledger, change: Change, gate: Gate): boolean {
  const reason = gate(change);
  if (reason !== null) recordSkips(ledger, [change], reason);
  return reason === null;
}

/**
 * Sends the requests of a domain's stage 2 right after reading the domain. Returns the changes that wait for
 * something that no listing shows yet; they are skipped. Checks whether the domain must stay before the last read,
 * because that answer may take a while.
 */
async function sendStageTwo(
  parts: RoundParts,
  planned: DomainRequests,
  { gate, awaits, waiting }: Passage & Pick<Outlook, 'waiting'>,
): Promise<readonly Change[]> {
  const { ledger, sender, whyKeepDomain } = parts;
  const changes = changesOfRequests(planned);
  const isDeleted = changes.some((change) => change.kind === 'domain' && gate(change) === null);
  const reason = isDeleted ? ((await whyKeepDomain?.(planned.domain)) ?? null) : null;
  const own: Gate = (change) => gate(change) ?? reason;
  const early = changes.filter(awaits);
  const late = changes.filter((change) => passes(ledger, change, own));
  if (late.length === 0) return early;
  const fresh = await freshen(parts, planned.domain, { late, waiting });
  if (fresh === 'unseen') return [...early, ...late];
  const requests =
    fresh === late ? planned.requests : requestsOfStage(2, sender.requestsOf({ changes: fresh }));
  await sendAll(parts, requests, own);
  return early;
}

function requestsOfStage(wanted: 1 | 2, stages: readonly StageRequests[]): readonly WriteRequest[] {
  return stages
    .filter(({ stage }) => stage === wanted)
    .flatMap(({ domains }) => domains.flatMap(({ requests }) => requests));
}

/**
 * Returns the changes of a domain's stage 2 that are still open. If they may remove a route, all sections of the
 * domain are read again right before them, in one round trip. Otherwise the domain is read again only if its listing
 * is over two minutes old. Changes since are planned again. A domain that needs more of stage 1 now waits for the
 * next round. A domain whose listing shows nothing of this run's work there is `unseen`.
 */
async function freshen(
  { ledger, account, approvals }: Pick<RoundParts, 'ledger' | 'account' | 'approvals'>,
  domain: DomainName,
  { late, waiting }: { readonly late: readonly Change[]; readonly waiting: ReadonlySet<string> },
): Promise<readonly Change[] | 'unseen'> {
  if (!account.isStale(domain, late) || whyStopped(ledger) !== null) return late;
  const read = await account.reread([domain]);
  if (!read.ok) stopOn(ledger, read.error);
  const plan = account.planAgain([domain]);
  const unread = plan.withheld[0]?.reason;
  if (unread !== undefined) {
    recordSkips(ledger, late, `the domain could not be read again before its stage 2: ${unread}`);
    return [];
  }
  const open = plan.changes
    .filter((change) => !isHeldBack(approvals, change))
    // The change waits for other domains, which this plan does not know.
    .map((change): Change => (waiting.has(itemKey(change)) ? { ...change, stage: 2 } : change));
  const early = open.filter(
    (change) => change.stage === 1 && !isSetting(change) && !isUndone(ledger, change),
  );
  const news = early.find((change) => !isUnseen(ledger, change));
  const [first = news] = early;
  if (first === undefined) {
    const approved = approve(late);
    const going = open.filter((change) => change.stage === 2 && isApprovedBy(approved, change));
    return withoutNewLosses(domain, going, { ledger, account });
  }
  recordSkips(ledger, late, whyTooEarly(ledger, news ?? first));
  return news === undefined ? 'unseen' : [];
}

function whyTooEarly(ledger: Ledger, change: Change): string {
  const what = `${change.kind} ${change.name}`;
  return isUnseen(ledger, change) || isNotKept(ledger, change)
    ? `${what} was accepted earlier but is not in place`
    : `${what} was changed by others during the run`;
}

/** True for a change of settings. Settings are not part of what was read, and no route depends on them. */
function isSetting({ kind, action }: Change): boolean {
  return kind === 'domain' && action === 'update';
}
