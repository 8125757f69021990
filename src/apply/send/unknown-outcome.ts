import { ruleIdKey } from '../../model/item-key.ts';
import type { Client } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { endpointName } from '../../model/endpoints.ts';
import type { Clock } from '../../model/clock.ts';
import { nameKey, type DomainName } from '../../model/names.ts';
import type {
  ObservedAlias,
  ObservedCredential,
  ObservedDomain,
  ObservedRule,
} from '../../model/observed.ts';
import type { Section } from '../../model/kinds.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import { isAlias, isDomain, isRule } from './as-sent.ts';
import {
  listingOf,
  type AliasPayload,
  type CredentialPayload,
  type DomainPayload,
  type Payload,
  type RuleWrite,
} from './payload.ts';

/** What became of an item whose request has no believable answer. */
export type Settled =
  | { readonly kind: 'done'; readonly id: string | null; readonly domain?: ObservedDomain }
  | { readonly kind: 'not-done' }
  /** Something else is there than before and than was sent: only a new plan can tell what to do. */
  | { readonly kind: 'other' };

const LISTING = {
  domains: 'getDomain',
  aliases: 'listAliases',
  rules: 'listRules',
  credentials: 'listCredentials',
} as const;

const BETWEEN_READS_MS = 5_000;
const MOST_READS = 5;

/**
 * Finds out what a request of unknown outcome did: two equal readings 5 s apart, so that a request that is
 * still at work is not taken for one that was lost. Each item is looked for by itself, in the order given.
 */
export async function settleItems(
  domain: DomainName,
  items: readonly Payload[],
  ports: { readonly client: Client; readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<Result<readonly Settled[], ApiError>> {
  const [first] = items;
  if (first === undefined) return succeed([]);
  const section = listingOf(first);
  let before: Result<Listing, ApiError> | null = null;
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    if (before !== null) await ports.clock.sleep(BETWEEN_READS_MS, ports.signal);
    const found = await readListing(ports.client, domain, section);
    if (!found.ok) return found;
    if (before?.ok === true && sameListing(before.value, found.value)) {
      return succeed(items.map(settler(found.value)));
    }
    before = found;
  }
  return fail({
    kind: 'unproven',
    endpoint: endpointName(ports.client.version, LISTING[section]),
    status: null,
    message: `the result of the request is not known: ${domain} kept changing while it was read`,
  });
}

/** One reading; only what was asked for is filled in. */
interface Listing {
  readonly domain: ObservedDomain | null;
  readonly aliases: readonly ObservedAlias[];
  readonly rules: readonly ObservedRule[];
  readonly credentials: readonly ObservedCredential[];
}

const NOTHING: Listing = { domain: null, aliases: [], rules: [], credentials: [] };

async function readListing(
  client: Client,
  domain: DomainName,
  section: Section | 'domains',
): Promise<Result<Listing, ApiError>> {
  switch (section) {
    case 'domains': {
      const found = await client.getDomain(domain);
      const missing = !found.ok && found.error.kind === 'not-found';
      return missing ? succeed(NOTHING) : listing(found, (row) => ({ domain: row }));
    }
    case 'aliases':
      return listing(await client.listAliases(domain), (aliases) => ({ aliases }));
    case 'rules':
      return listing(await client.listRules(domain), (rules) => ({ rules }));
    case 'credentials':
      return listing(await client.listCredentials(domain), (credentials) => ({ credentials }));
  }
}

function listing<T>(
  read: Result<T, ApiError>,
  part: (value: T) => Partial<Listing>,
): Result<Listing, ApiError> {
  return read.ok ? succeed({ ...NOTHING, ...part(read.value) }) : read;
}

function sameListing(a: Listing, b: Listing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Looks items up in one listing; by id and name, so that a thousand items do not read it a thousand times. */
function settler(found: Listing): (item: Payload) => Settled {
  const aliases = new Map(found.aliases.map((row) => [row.id, row]));
  const aliasNames = new Map(found.aliases.map((row) => [nameKey(row.name), row]));
  const rules = new Map(found.rules.map((row) => [ruleIdKey(row.id), row]));
  const credentials = new Set(found.credentials.map((row) => nameKey(row.name)));
  return (item) => {
    switch (item.kind) {
      case 'domain':
        return settleDomain(item, found.domain);
      case 'alias':
        return settleAlias(item, aliases, aliasNames);
      case 'rule':
        return settleRule(item, rules);
      case 'credential':
        return settleCredential(item, credentials.has(nameKey(item.username)));
    }
  };
}

function settleAlias(
  item: AliasPayload,
  byId: ReadonlyMap<string, ObservedAlias>,
  byName: ReadonlyMap<string, ObservedAlias>,
): Settled {
  switch (item.action) {
    case 'add':
      return settleAddition(byName.get(nameKey(item.alias.alias)), isAlias(item.alias.forward));
    case 'update':
      return settleUpdate(byId.get(item.alias.id), isAlias(item.alias.forward));
    case 'delete':
      return gone(byId.get(item.id));
  }
}

function settleRule(item: RuleWrite, byId: ReadonlyMap<string, ObservedRule>): Settled {
  switch (item.action) {
    case 'add':
      // A rule with the id that was sent is the one that was sent; should it differ, the next plan shows it.
      return settleAddition(byId.get(ruleIdKey(item.rule.id ?? '')), () => true);
    case 'update':
      return settleUpdate(byId.get(ruleIdKey(item.rule.id)), isRule(item.rule));
    case 'delete':
      return gone(byId.get(ruleIdKey(item.id)));
  }
}

type Row = { readonly id: string };

function gone(row: Row | undefined): Settled {
  return row === undefined ? { kind: 'done', id: null } : { kind: 'not-done' };
}

function settleAddition<R extends Row>(row: R | undefined, isWanted: (row: R) => boolean): Settled {
  if (row === undefined) return { kind: 'not-done' };
  return isWanted(row) ? { kind: 'done', id: row.id } : { kind: 'other' };
}

function settleUpdate<R extends Row>(row: R | undefined, isWanted: (row: R) => boolean): Settled {
  if (row === undefined) return { kind: 'other' };
  return isWanted(row) ? { kind: 'done', id: row.id } : { kind: 'not-done' };
}

function settleDomain(item: DomainPayload, live: ObservedDomain | null): Settled {
  if (item.action === 'delete') return live === null ? { kind: 'done', id: null } : { kind: 'not-done' };
  if (item.action === 'add')
    return live === null ? { kind: 'not-done' } : { kind: 'done', id: null, domain: live };
  if (live === null) return { kind: 'other' };
  return isDomain(item.state)(live) ? { kind: 'done', id: null } : { kind: 'not-done' };
}

/** Passwords cannot be read back; sending one again does no harm. */
function settleCredential(item: CredentialPayload, isLive: boolean): Settled {
  switch (item.action) {
    case 'add':
      return isLive ? { kind: 'done', id: null } : { kind: 'not-done' };
    case 'update':
      return isLive ? { kind: 'not-done' } : { kind: 'other' };
    case 'delete':
      return isLive ? { kind: 'not-done' } : { kind: 'done', id: null };
  }
}
