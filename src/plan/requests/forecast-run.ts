import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import { inTurn, together, type VirtualJob } from '../../rate-limit/jobs.ts';
import type { ScheduleOptions } from '../../rate-limit/scheduler.ts';
import { dependenciesOf } from './dependencies.ts';
import {
  readsAfterAdding,
  readsBeforeStageTwo,
  readsOfChangedDomains,
  readsOfSections,
  type PlannedRead,
  type ReadContext,
} from './reads.ts';
import { DOMAINS_AT_ONCE, type DomainRequests, type StageRequests } from './requests.ts';
import { VERIFIED_AT_ONCE } from './verification.ts';
import { changesOfRequests, verificationOrder, type VerificationOrder } from './verification-order.ts';
import { openVirtualRequests, type ForeseenRun, type VirtualRequests } from './virtual-requests.ts';

export interface ForeseenOptions extends ReadContext {
  readonly schedule: ScheduleOptions;
  /** The moment at which it begins, monotonic milliseconds. */
  readonly monotonic: number;
  /** Domains of which the service is asked about DNS at the end. */
  readonly verifications: readonly PlannedRead[];
}

/**
 * Runs the requests of a plan in virtual time, as `applyPlan` sends them in real time where nothing goes wrong: new domains
 * first, then part after part, each domain verified as soon as its last change is in; then what is not verified yet.
 */
export function foreseeRun(stages: readonly StageRequests[], options: ForeseenOptions): ForeseenRun {
  const requests = openVirtualRequests(options.version, options.schedule, options.monotonic);
  const { additions, parts } = partsOf(stages);
  const changes = [...new Set(stages.flatMap(({ domains }) => domains.flatMap(changesOfRequests)))];
  const forwarders = dependenciesOf(changes);
  const order = verificationOrder(parts, (change) => forwarders.get(change));
  const verifier = openVerifier(
    Map.groupBy(changes, ({ domain }) => domain),
    requests,
    options,
  );
  const run: Run = { options, requests, order, verifier, forwarders, earlier: new Map() };
  const readAdded = readsAfterAdding({ changes }).map((read) => requests.read([read], 'first'));
  const verifications = options.verifications.flatMap((read) =>
    Array.from({ length: read.requests }, () => requests.read([{ ...read, requests: 1 }], 'first')),
  );
  inTurn([
    together(additions.map(requests.write), DOMAINS_AT_ONCE),
    together(readAdded, DOMAINS_AT_ONCE),
    ...parts.map((part, index) => sendPart(run, part, index)),
    verifier.ended,
    requests.read(readsOfChangedDomains(changes, options), 'last'),
    verifier.rest,
    together(verifications, VERIFIED_AT_ONCE),
  ])(() => {});
  return requests.run();
}

interface Run {
  readonly options: ForeseenOptions;
  readonly requests: VirtualRequests;
  readonly order: VerificationOrder;
  readonly verifier: Verifier;
  readonly forwarders: ReadonlyMap<Change, ReadonlySet<DomainName>>;
  /** Changes of the parts that have ended. */
  readonly earlier: Map<DomainName, readonly Change[]>;
}

function sendPart(run: Run, { stage, domains }: StageRequests, index: number): VirtualJob {
  const { requests, order, verifier, options, earlier, forwarders } = run;
  const late = stage === 1 ? [] : domains.flatMap(changesOfRequests);
  const readForwarders: VirtualJob = (then) => {
    const names = new Set(late.flatMap((change) => [...(forwarders.get(change) ?? [])]));
    for (const name of names) if (order.isSeenBefore(index, name)) verifier.saw(name);
    const reads = [...names].map((name) => readsOfSections(name, earlier.get(name) ?? [], options));
    together(
      reads.map((own) => requests.read(own, 'first')),
      DOMAINS_AT_ONCE,
    )(then);
  };
  const sends = domains.map((own) =>
    inTurn([
      ...(stage === 1 ? [] : [readBefore(run, own)]),
      ...own.requests.map(requests.write),
      (then) => {
        if (order.isDueAfter(index, own.domain)) verifier.start(own.domain);
        then();
      },
    ]),
  );
  const note: VirtualJob = (then) => {
    for (const own of domains) {
      earlier.set(own.domain, [...new Set([...(earlier.get(own.domain) ?? []), ...changesOfRequests(own)])]);
    }
    then();
  };
  return inTurn([readForwarders, together(sends, DOMAINS_AT_ONCE), note]);
}

function readBefore({ options, requests, earlier }: Run, own: DomainRequests): VirtualJob {
  return (then) => {
    const before = earlier.get(own.domain) ?? [];
    const part = { late: changesOfRequests(own), earlier: before, moment: requests.now() };
    requests.read(readsBeforeStageTwo(own.domain, part, options), 'first')(then);
  };
}

/** Reads of domains that nothing waits for before the end. */
interface Verifier {
  readonly start: (domain: DomainName) => void;
  /** A read for another reason showed the domain as it is in the end. */
  readonly saw: (domain: DomainName) => void;
  /** Until all that were started have ended. */
  readonly ended: VirtualJob;
  /** The others. */
  readonly rest: VirtualJob;
}

function openVerifier(
  touched: ReadonlyMap<DomainName, readonly Change[]>,
  { read }: VirtualRequests,
  context: ReadContext,
): Verifier {
  const seen = new Set<DomainName>();
  let open = 0;
  let onEnd: (() => void) | null = null;
  const readOf = (domain: DomainName): VirtualJob =>
    read(readsOfSections(domain, touched.get(domain) ?? [], context), 'last');
  return {
    start(domain) {
      seen.add(domain);
      open += 1;
      readOf(domain)(() => {
        open -= 1;
        if (open === 0) onEnd?.();
      });
    },
    saw: (domain) => void seen.add(domain),
    ended(then) {
      if (open === 0) then();
      else onEnd = then;
    },
    rest(then) {
      const unseen = [...touched.keys()].filter((domain) => !seen.has(domain));
      together(unseen.map(readOf), DOMAINS_AT_ONCE)(then);
    },
  };
}

/** New domains are added before all else, and the rest of each is sent in its parts. */
function partsOf(stages: readonly StageRequests[]): {
  readonly additions: DomainRequests['requests'];
  readonly parts: readonly StageRequests[];
} {
  const all = stages.flatMap(({ domains }) => domains.flatMap(({ requests }) => requests));
  const parts = stages.map(({ stage, domains }) => ({
    stage,
    domains: domains.map(({ domain, requests }) => ({
      domain,
      requests: requests.filter(({ operation }) => operation !== 'addDomain'),
    })),
  }));
  return { additions: all.filter(({ operation }) => operation === 'addDomain'), parts };
}
