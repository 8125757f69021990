import type { DeliveredMessage, Message } from '../delivery/delivery.ts';
import type { MailRoute } from '../delivery/delivery-routing.ts';
import type { Fault, FaultScript } from '../faults/faults.ts';
import type { Journal } from '../http/journal.ts';
import type { DnsState, StoreResult } from '../account/model.ts';
import type { RateLimiter, RateLimitRule } from '../http/rate-limit.ts';
import type { Seed } from '../account/seed.ts';
import { problemsOf, type SchemaProblem, type Subject } from '../http/schemas.ts';
import { findDomain, setDns } from '../account/store-domains.ts';
import type { EmulatorStore } from '../account/store.ts';
import type { Switches } from '../account/switches.ts';

/** What the control interface reaches. */
export interface ControlledParts {
  readonly store: EmulatorStore;
  readonly faults: FaultScript;
  readonly journal: Journal;
  readonly limiter: RateLimiter;
  readonly clock: { readonly now: () => number; advance(milliseconds: number): void };
  deliver(message: Message): StoreResult<DeliveredMessage>;
}

export interface ControlRoute {
  readonly method: string;
  /** Below `/_emulator`. */
  readonly path: string;
  /** What the body is checked as; undefined: it is not read. */
  readonly body?: Subject | undefined;
  readonly handle: (parts: ControlledParts, request: ControlRequest) => ControlReply;
}

export interface ControlRequest {
  readonly query: URLSearchParams;
  /** As its schema says. */
  readonly body: unknown;
}

/** `body` undefined: 204. */
export type ControlReply =
  | { readonly kind: 'done'; readonly body?: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly problems: readonly SchemaProblem[] };

/** Switches that are built into the indexes. */
const SHAPING: readonly (keyof Switches)[] = ['aliasNameCase', 'nameOrder', 'equalRanks', 'aliasLogs'];
const ALL_DNS: DnsState = { mx: true, spf: true, dkim1: true, dkim2: true, dmarc: true };
const NO_DNS: DnsState = { mx: false, spf: false, dkim1: false, dkim2: false, dmarc: false };

export const CONTROL_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: '/state', handle: ({ store }) => done(store.dump()) },
  { method: 'PUT', path: '/state', body: 'state', handle: replaceState },
  { method: 'GET', path: '/journal', handle: readJournal },
  { method: 'DELETE', path: '/journal', handle: clearJournal },
  { method: 'GET', path: '/faults', handle: ({ faults }) => done(faults.pending()) },
  { method: 'PUT', path: '/faults', body: 'faults', handle: replaceFaults },
  { method: 'POST', path: '/faults', body: 'faults', handle: addFaults },
  { method: 'DELETE', path: '/faults', handle: clearFaults },
  { method: 'GET', path: '/clock', handle: ({ clock }) => done({ now: isoTime(clock.now()) }) },
  { method: 'POST', path: '/clock', body: 'clock', handle: advanceClock },
  { method: 'GET', path: '/switches', handle: ({ store }) => done(store.state.switches) },
  { method: 'PATCH', path: '/switches', body: 'switches', handle: changeSwitches },
  { method: 'GET', path: '/limits', handle: ({ limiter }) => done(limiter.rules()) },
  { method: 'PUT', path: '/limits', body: 'limits', handle: replaceLimits },
  { method: 'POST', path: '/dns', body: 'dns', handle: changeDns },
  { method: 'POST', path: '/messages', body: 'message', handle: deliver },
];

/** What is wrong with a body, and where. */
export function checkBody(route: ControlRoute, body: unknown): readonly SchemaProblem[] {
  return route.body === undefined ? [] : problemsOf(route.body, body);
}

function replaceState({ store }: ControlledParts, { body }: ControlRequest): ControlReply {
  store.replace(body as Seed);
  const { domains, aliasCount, ruleCount } = store.state;
  return done({ domains: domains.size, aliases: aliasCount, rules: ruleCount });
}

/** `after`: only entries with a higher number. */
function readJournal({ journal }: ControlledParts, { query }: ControlRequest): ControlReply {
  const after = Number(query.get('after') ?? 0);
  const entries = journal.entries().filter(({ number }) => number > after);
  return done({ total: journal.total(), entries });
}

function clearJournal({ journal }: ControlledParts): ControlReply {
  journal.clear();
  return done();
}

function replaceFaults(parts: ControlledParts, request: ControlRequest): ControlReply {
  parts.faults.clear();
  return addFaults(parts, request);
}

function addFaults({ faults }: ControlledParts, { body }: ControlRequest): ControlReply {
  faults.push(...(body as readonly Fault[]));
  return done(faults.pending());
}

function clearFaults({ faults }: ControlledParts): ControlReply {
  faults.clear();
  return done();
}

function advanceClock({ clock }: ControlledParts, { body }: ControlRequest): ControlReply {
  clock.advance((body as { readonly advance_seconds: number }).advance_seconds * 1000);
  return done({ now: isoTime(clock.now()) });
}

function changeSwitches({ store }: ControlledParts, { body }: ControlRequest): ControlReply {
  const changes = body as Partial<Switches>;
  Object.assign(store.state.switches, changes);
  if (SHAPING.some((name) => changes[name] !== undefined)) store.replace(store.dump());
  return done(store.state.switches);
}

function replaceLimits({ limiter }: ControlledParts, { body }: ControlRequest): ControlReply {
  limiter.configure(body as readonly RateLimitRule[]);
  return done(limiter.rules());
}

function changeDns({ store }: ControlledParts, { body }: ControlRequest): ControlReply {
  const { domain, dns } = body as {
    readonly domain: string;
    readonly dns: 'valid' | 'missing' | Partial<DnsState>;
  };
  const found = findDomain(store.state, domain);
  if (!found.ok) return unknownDomain('$.domain');
  setDns(found.value, typeof dns === 'object' ? dns : dns === 'valid' ? ALL_DNS : NO_DNS);
  return done({ domain: found.value.name, dns: found.value.dns });
}

function deliver(parts: ControlledParts, { body }: ControlRequest): ControlReply {
  const delivered = parts.deliver(body as Message);
  if (!delivered.ok) return unknownDomain('$.to');
  const { domain, route, destinations, logs } = delivered.value;
  return done({
    domain: domain.name,
    route: describeRoute(route),
    destinations,
    logs: logs.map(({ id }) => id),
  });
}

function describeRoute(route: MailRoute): object {
  switch (route.kind) {
    case 'alias':
      return { kind: 'alias', by: route.by, alias: route.alias.name, id: String(route.alias.id) };
    case 'rule':
      return { kind: 'rule', id: route.rule.id, rank: route.rule.rank };
    case 'fallback':
      return { kind: 'fallback' };
    case 'refused':
      return route;
  }
}

function unknownDomain(path: string): ControlReply {
  return { kind: 'refused', status: 404, problems: [{ path, message: 'names a domain that is not there' }] };
}

function done(body?: unknown): ControlReply {
  return { kind: 'done', body };
}

function isoTime(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}
