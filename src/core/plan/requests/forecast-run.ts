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
import { DOMAINS_AT_ONCE, isAddedDomain, type DomainRequests, type StageRequests } from './requests.ts';
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
 * Runs the requests of a plan in virtual time, as `applyPlan` sends them in real time where nothing goes wrong: part after
 * part, each domain verified as soon as its last change is in; then what is not verified yet.
 */
export function foreseeRun(stages: readonly StageRequests[], options: ForeseenOptions): ForeseenRun {
  const requests = openVirtualRequests(options.version, options.schedule, options.monotonic);
  const changes = [...new Set(stages.flatMap(({ domains }) => domains.flatMap(changesOfRequests)))];
  const forwarders = dependenciesOf(changes);
  const order = verificationOrder(stages, (change) => forwarders.get(change));
  const verifier = openVerifier(
    Map.groupBy(changes, ({ domain }) => domain),
    requests,
    options,
  );
  const readsOfAdded = Map.groupBy(readsAfterAdding({ changes }), ({ domain }) => domain);
  const run: Run = { options, requests, order, verifier, forwarders, readsOfAdded, earlier: new Map() };
  const verifications = options.verifications.flatMap((read) =>
    Array.from({ length: read.requests }, () => requests.read([{ ...read, requests: 1 }], 'first')),
  );
  inTurn([
    ...stages.map((part, index) => sendPart(run, part, index)),
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
  readonly readsOfAdded: ReadonlyMap<DomainName | null, readonly PlannedRead[]>;
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
  const send = (own: DomainRequests): VirtualJob =>
    inTurn([
      ...(stage === 1 ? [add(run, own)] : [readBefore(run, own)]),
      ...own.requests.filter((request) => !isAddedDomain(request)).map(requests.write),
      (then) => {
        if (order.isDueAfter(index, own.domain)) verifier.start(own.domain);
        then();
      },
    ]);
  const [added = [], others = []] = [true, false].map((isNew) =>
    domains.filter((own) => own.requests.some(isAddedDomain) === isNew).map(send),
  );
  const note: VirtualJob = (then) => {
    for (const own of domains) {
      earlier.set(own.domain, [...new Set([...(earlier.get(own.domain) ?? []), ...changesOfRequests(own)])]);
    }
    then();
  };
  const sends = together([together(added, DOMAINS_AT_ONCE), together(others, DOMAINS_AT_ONCE)]);
  return inTurn([readForwarders, sends, note]);
}

/** Adds a domain that is new, and reads what the service may have made with it. */
function add({ requests, readsOfAdded }: Run, own: DomainRequests): VirtualJob {
  const additions = own.requests.filter(isAddedDomain);
  return inTurn([
    ...additions.map(requests.write),
    requests.read(additions.length === 0 ? [] : (readsOfAdded.get(own.domain) ?? []), 'first'),
  ]);
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
