import type { DeliveredMessage, Message } from '../delivery/delivery.ts';
import type { MailRoute } from '../delivery/delivery-routing.ts';
import type { Fault, FaultScript } from '../faults/faults.ts';
import type { Journal } from '../http/journal.ts';
import type { Checked } from '../account/checked.ts';
import type { DnsState } from '../account/model.ts';
import type { RateLimiter, RateLimitRule } from '../http/rate-limit.ts';
import { dnsRecords, type Seed } from '../account/seed.ts';
import { problemsOf, type SchemaProblem, type Subject } from '../http/schemas.ts';
import { countInAccount } from '../account/state.ts';
import type { EmulatorStore } from '../account/store.ts';
import type { Switches } from '../account/switches.ts';

/** Parts of the emulator that the control interface can reach. */
export interface ControlledParts {
  readonly store: EmulatorStore;
  readonly faults: FaultScript;
  readonly journal: Journal;
  readonly limiter: RateLimiter;
  readonly clock: { readonly now: () => number; advance(milliseconds: number): void };
  deliver(message: Message): Checked<DeliveredMessage>;
}

export interface ControlRoute {
  readonly method: string;
  /** Path below `/_emulator`. */
  readonly path: string;
  /** Schema for the body. undefined means that the body is not read. */
  readonly body?: Subject | undefined;
  readonly handle: (parts: ControlledParts, request: ControlRequest) => ControlReply;
}

export interface ControlRequest {
  readonly query: URLSearchParams;
  /** The body, already checked against its schema. */
  readonly body: unknown;
}

/** A reply of the control interface. An undefined `body` is answered as 204. */
export type ControlReply =
  | { readonly kind: 'done'; readonly body?: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly problems: readonly SchemaProblem[] };

/** Switches that shape the indexes. */
const SHAPING: readonly (keyof Switches)[] = ['aliasNameCase', 'nameOrder', 'equalRanks', 'aliasLogs'];
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

/** Returns the problems of a body, each with its path. */
export function checkBody(route: ControlRoute, body: unknown): readonly SchemaProblem[] {
  return route.body === undefined ? [] : problemsOf(route.body, body);
}

function replaceState({ store }: ControlledParts, { body }: ControlRequest): ControlReply {
  store.replace(body as Seed);
  const { state } = store;
  return done({
    domains: state.domains.size,
    aliases: countInAccount(state, 'aliases'),
    rules: countInAccount(state, 'rules'),
  });
}

/** Reads the journal. `after` returns only entries with a higher number. */
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
  const record = store.state.domains.get(domain);
  if (record === undefined) return unknownDomain('$.domain');
  const { fields, name } = record;
  // The domain's flags change at its next verification.
  Object.assign(fields.dns, typeof dns === 'object' ? dns : dnsRecords(dns === 'valid', dns === 'valid'));
  return done({ domain: name, dns: fields.dns });
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
      return { kind: 'alias', by: route.by, alias: route.alias.alias, id: String(route.alias.id) };
    case 'rule':
      return { kind: 'rule', id: route.rule.id, rank: route.rule.rank };
    case 'fallback':
      return { kind: 'fallback' };
    case 'refused':
      return route;
  }
}

function unknownDomain(path: string): ControlReply {
  return {
    kind: 'refused',
    status: 404,
    problems: [{ path, message: 'names a domain that does not exist' }],
  };
}

function done(body?: unknown): ControlReply {
  return { kind: 'done', body };
}

function isoTime(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}
