import type { Client, LiveItemRow } from '../../../client/client.ts';
import type { ApiError } from '../../../client/errors.ts';
import { idKey } from '../../../core/model/item-key.ts';
import { KINDS } from '../../../core/kinds/registry.ts';
import { nameKey, type DomainName } from '../../../core/model/names.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import { type DomainState, SETTINGS } from '../../../core/kinds/domain/fields.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import type { WriteRequest } from '../../../core/plan/requests/requests.ts';
import type { ApplyPorts } from '../ports.ts';
import { endpointName } from '../../../core/kinds/endpoints.ts';
import { showsFields, hasSecret } from '../../../core/fields/fields.ts';
import type { Kind } from '../../../core/model/kinds.ts';
import type { WriteItem } from '../../../core/kinds/steps.ts';
import type { Change } from '../../../core/model/plan.ts';
import type { SentItem } from '../../../core/kinds/wire.ts';

/** The outcome of an item whose request has no believable answer. */
export type Resolved =
  | { readonly kind: 'done'; readonly id: string | null; readonly domain?: ObservedDomain }
  | { readonly kind: 'not-done' }
  /** Something else is there than before and than was sent: only a new plan can tell what to do. */
  | { readonly kind: 'other' };

const BETWEEN_READS_MS = 5_000;
const MOST_READS = 5;

/**
 * Finds out what a request of unknown outcome did, by two equal reads 5 s apart. One read is not enough, because the
 * service may still be working on the request. Each item is looked up by itself, in the order given.
 */
export async function resolveOutcomes(
  { domain, items }: WriteRequest,
  settings: DomainState,
  { client, clock, signal }: Pick<ApplyPorts, 'client' | 'clock' | 'signal'>,
): Promise<Result<readonly Resolved[], ApiError>> {
  const kind = items[0]?.change.kind ?? 'domain';
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
    endpoint: endpointName(client.version, kind === 'domain' ? 'getDomain' : KINDS[kind].wire.list.operation),
    status: null,
    message: `the result of the request is not known: ${domain} kept changing while it was read`,
  });
}

/** Result of one read: the domain itself, or the items of a kind. null means that the domain does not exist. */
type Found = ObservedDomain | readonly LiveItemRow[] | null;

async function find(client: Client, name: DomainName, kind: Kind): Promise<Result<Found, ApiError>> {
  if (kind !== 'domain') return client.items(kind).list(name);
  const domain = await client.getDomain(name);
  return !domain.ok && domain.error.kind === 'not-found' ? succeed(null) : domain;
}

/** Looks items up in one listing; by id and name, so that a thousand items do not read it a thousand times. */
function resolver(found: Found, settings: DomainState): (item: WriteItem) => Resolved {
  if (found === null || !isListing(found)) return ({ change }) => resolveDomain(change, found, settings);
  const byId = new Map(found.map((row) => [idKey(row.id ?? ''), row]));
  const byName = new Map(found.map((row) => [nameKey(row.name ?? ''), row]));
  return (item) => {
    const { id, name = '' } = item.sent;
    // The service assigns the id of an added item, unless items of its kind are identified by id.
    const isNamed =
      id === undefined || (item.change.action === 'add' && KINDS[item.change.kind].identity === 'name');
    return resolveItem(item, isNamed ? byName.get(nameKey(name)) : byId.get(idKey(id)));
  };
}

function isListing(found: ObservedDomain | readonly LiveItemRow[]): found is readonly LiveItemRow[] {
  return Array.isArray(found);
}

function resolveItem({ change, sent }: WriteItem, row: LiveItemRow | undefined): Resolved {
  const { action } = change;
  if (action === 'delete') return row === undefined ? DONE : NOT_DONE;
  const [absent, different] = action === 'add' ? [NOT_DONE, OTHER] : [OTHER, NOT_DONE];
  if (row === undefined) return absent;
  return isDone(change, sent, row) ? { kind: 'done', id: row.id ?? null } : different;
}

function isDone({ action, kind }: Change, sent: SentItem, row: LiveItemRow): boolean {
  const { fields, identity } = KINDS[kind];
  if (action === 'add') {
    // An item with the id that was sent is the one that was sent; should it differ, the next plan shows it.
    return identity === 'id' || showsFields(fields, sent, row);
  }
  // A secret cannot be read back; sending it again does no harm.
  return !hasSecret(fields) && showsFields(fields, sent, row);
}

function resolveDomain({ action }: Change, live: ObservedDomain | null, settings: DomainState): Resolved {
  if (action === 'delete') return live === null ? DONE : NOT_DONE;
  if (action === 'add') return live === null ? NOT_DONE : { kind: 'done', id: null, domain: live };
  if (live === null) return OTHER;
  return showsFields(SETTINGS, settings, live) ? DONE : NOT_DONE;
}

const DONE: Resolved = { kind: 'done', id: null };
const NOT_DONE: Resolved = { kind: 'not-done' };
const OTHER: Resolved = { kind: 'other' };
