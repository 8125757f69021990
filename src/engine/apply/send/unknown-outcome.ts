import { observeSections, type Sections } from '../../../client/observe-sections.ts';
import type { Client } from '../../../client/client.ts';
import type { ApiError } from '../../../client/errors.ts';
import { endpointName } from '../../../core/model/endpoints.ts';
import { requestId, idKey } from '../../../core/model/item-key.ts';
import { KINDS } from '../../../core/kinds/registry.ts';
import { nameKey, type DomainName } from '../../../core/model/names.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import type { DomainState } from '../../../core/kinds/domain/fields.ts';
import type { ObservedAlias } from '../../../core/kinds/alias/fields.ts';
import type { ObservedRule } from '../../../core/kinds/rule/fields.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import type { WriteItem } from '../../../core/plan/requests/order.ts';
import type { WriteRequest } from '../../../core/plan/requests/requests.ts';
import type { ApplyPorts } from '../ports.ts';
import { hasSettings, isAliasAsSent, isRuleAsSent, type ItemOf } from './senders.ts';

/** The outcome of an item whose request has no believable answer. */
export type Resolved =
  | { readonly kind: 'done'; readonly id: string | null; readonly domain?: ObservedDomain }
  | { readonly kind: 'not-done' }
  /** Something else is there than before and than was sent: only a new plan can tell what to do. */
  | { readonly kind: 'other' };

const BETWEEN_READS_MS = 5_000;
const MOST_READS = 5;

/**
 * Finds out what a request of unknown outcome did: two equal reads 5 s apart, so that a request that is
 * still at work is not taken for one that was lost. Each item is looked up by itself, in the order given.
 */
export async function resolveOutcomes(
  { domain, items }: WriteRequest,
  settings: DomainState,
  { client, clock, signal }: Pick<ApplyPorts, 'client' | 'clock' | 'signal'>,
): Promise<Result<readonly Resolved[], ApiError>> {
  const kind = items[0]?.kind ?? 'domain';
  let before: Result<Found, ApiError> | null = null;
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    if (before !== null) await clock.sleep(BETWEEN_READS_MS, signal);
    const found = await find(client, domain, kind);
    if (!found.ok) return found;
    if (before?.ok === true && JSON.stringify(before.value) === JSON.stringify(found.value)) {
      return succeed(items.map(resolver(found.value, settings)));
    }
    before = found;
  }
  return fail({
    kind: 'unproven',
    endpoint: endpointName(client.version, kind === 'domain' ? 'getDomain' : KINDS[kind].list),
    status: null,
    message: `the result of the request is not known: ${domain} kept changing while it was read`,
  });
}

/** One read; only what was asked for is filled in. */
interface Found extends Sections {
  readonly domain: ObservedDomain | null;
}

async function find(
  client: Client,
  name: DomainName,
  kind: WriteItem['kind'],
): Promise<Result<Found, ApiError>> {
  if (kind !== 'domain') {
    const sections = await observeSections(client, name, [KINDS[kind].section]);
    return sections.ok ? succeed({ domain: null, ...sections.value }) : sections;
  }
  const domain = await client.getDomain(name);
  if (domain.ok) return succeed({ domain: domain.value });
  return domain.error.kind === 'not-found' ? succeed({ domain: null }) : domain;
}

/** Looks items up in one listing; by id and name, so that a thousand items do not read it a thousand times. */
function resolver(found: Found, settings: DomainState): (item: WriteItem) => Resolved {
  const aliases = new Map(found.aliases?.map((row) => [row.id, row]));
  const aliasNames = new Map(found.aliases?.map((row) => [nameKey(row.name), row]));
  const rules = new Map(found.rules?.map((row) => [idKey(row.id), row]));
  const credentials = new Set(found.credentials?.map((row) => nameKey(row.name)));
  return (item) => {
    switch (item.kind) {
      case 'domain':
        return resolveDomain(item, found.domain, settings);
      case 'alias': {
        const isAdded = item.change.action === 'add';
        return resolveAlias(
          item,
          isAdded ? aliasNames.get(nameKey(item.change.name)) : aliases.get(requestId(item.change)),
        );
      }
      case 'rule':
        return resolveRule(item, rules.get(idKey(item.rule.id)));
      case 'credential':
        return resolveCredential(item, credentials.has(nameKey(item.change.name)));
    }
  };
}

function resolveAlias(item: ItemOf<'alias'>, row: ObservedAlias | undefined): Resolved {
  const done = row !== undefined && isAliasAsSent(row, item);
  switch (item.change.action) {
    case 'add':
      return addition(row, done);
    case 'update':
    case 'move':
      return update(row, done);
    case 'delete':
      return deletion(row);
  }
}

function resolveRule({ part, rule }: ItemOf<'rule'>, row: ObservedRule | undefined): Resolved {
  // A rule with the id that was sent is the one that was sent; should it differ, the next plan shows it.
  if (part === 'add') return addition(row, true);
  return part === 'delete' ? deletion(row) : update(row, row !== undefined && isRuleAsSent(row, rule));
}

type Row = { readonly id: string } | undefined;

function addition(row: Row, isAsSent: boolean): Resolved {
  if (row === undefined) return NOT_DONE;
  return isAsSent ? { kind: 'done', id: row.id } : OTHER;
}

function update(row: Row, isAsSent: boolean): Resolved {
  if (row === undefined) return OTHER;
  return isAsSent ? { kind: 'done', id: row.id } : NOT_DONE;
}

function deletion(row: Row): Resolved {
  return row === undefined ? DONE : NOT_DONE;
}

function resolveDomain(
  { change }: ItemOf<'domain'>,
  live: ObservedDomain | null,
  settings: DomainState,
): Resolved {
  if (change.action === 'delete') return live === null ? DONE : NOT_DONE;
  if (change.action === 'add') return live === null ? NOT_DONE : { kind: 'done', id: null, domain: live };
  if (live === null) return OTHER;
  return hasSettings(live, settings) ? DONE : NOT_DONE;
}

/** Passwords cannot be read back; sending one again does no harm. */
function resolveCredential({ change }: ItemOf<'credential'>, isLive: boolean): Resolved {
  switch (change.action) {
    case 'add':
      return isLive ? DONE : NOT_DONE;
    case 'update':
    case 'move':
      return isLive ? NOT_DONE : OTHER;
    case 'delete':
      return isLive ? NOT_DONE : DONE;
  }
}

const DONE: Resolved = { kind: 'done', id: null };
const NOT_DONE: Resolved = { kind: 'not-done' };
const OTHER: Resolved = { kind: 'other' };
