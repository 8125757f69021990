import { differingRows, type FieldRows } from '../../core/fields/fields.ts';
import { expectSame, objectField, objectOf, type Json } from '../../core/fields/json.ts';
import { endpointOf } from '../../core/kinds/endpoints.ts';
import { KINDS } from '../../core/kinds/registry.ts';
import type { KindWire, SentItem, Verb } from '../../core/kinds/wire.ts';
import type { ApiVersion, Endpoint } from '../../core/model/endpoints.ts';
import { idKey } from '../../core/model/item-key.ts';
import type { SectionKind } from '../../core/model/kinds.ts';
import { nameKey, type DomainName } from '../../core/model/names.ts';
import type { Call } from '../http/call.ts';
import { addressable } from '../http/path.ts';
import type { WireRequest } from '../http/transport.ts';
import type { ItemClient, LiveItemRow } from '../client.ts';
import { readListing, readUntotalledListing, type ListingRequest } from '../listing.ts';
import { decodeBatch, deletedBatch, sendBatch } from './batch.ts';

/** Returns the requests for the items of a kind, as its `wire.ts` describes them. */
export function itemOperations<K extends SectionKind>(
  call: Call,
  version: ApiVersion,
  kind: K,
): ItemClient<K> {
  return { ...singles(call, version, kind), ...batches(call, version, kind) };
}

type Singles = Pick<ItemClient, 'list' | 'get' | 'add' | 'update' | 'delete'>;

function singles(call: Call, version: ApiVersion, kind: SectionKind): Singles {
  const { wire, fields, section } = kindOf(kind);
  const { list, get, writes, segment, noun } = wire;
  const decode = decoderOf(kind, version);
  const one = (operation: string, domain: DomainName, key: string): WireRequest => ({
    endpoint: endpointOf(version, operation),
    params: { domain, [segment[version]]: key },
  });
  /** A silent answer means that the item is as it was sent. */
  const shown = (json: Json | null, { id, name }: SentItem): LiveItemRow =>
    wire.isSilent ? ({ id, name } as LiveItemRow) : decode(objectField(json ?? {}, noun));
  return {
    list(domain) {
      const listing: ListingRequest<LiveItemRow> = {
        endpoint: endpointOf(version, list.operation),
        params: { domain },
        query: list.query[version],
        field: section,
        pageSize: list.pageSize[version],
        decode: (row) => decode(objectOf(row, noun)),
        keyOf,
      };
      const read = list.untotalled?.includes(version) ? readUntotalledListing : readListing;
      return read(call, listing);
    },
    get(domain, key) {
      if (get === null) throw new Error(`the API has no request for one ${kind}`);
      // v3 answers with the rule itself. Every other answer is wrapped.
      return call(one(get, domain, key), (json) => decode(objectOf(json?.[noun] ?? json, noun)));
    },
    add(domain, item) {
      const endpoint = endpointOf(version, writes.add.single);
      const request = { endpoint, params: { domain }, body: wire.addition(item), ...secretsOf(fields, item) };
      return call(request, (json) => {
        const row = shown(json, item);
        if (KINDS[kind].identity === 'name') expectSame(noun, addedKey(kind, item), addedKey(kind, row));
        const note = wire.noteOf?.(json ?? {}, domain) ?? null;
        return note === null ? row : { ...row, note };
      });
    },
    update(domain, item) {
      const request = one(writes.update.single, domain, sentKey(item));
      return call({ ...request, body: wire.update(item), ...secretsOf(fields, item) }, (json) => {
        const row = shown(json, item);
        expectSame('id', idKey(sentKey(item)), keyOf(row));
        return row;
      });
    },
    delete: (domain, key) => call(one(writes.delete.single, domain, key), () => undefined),
  };
}

function batches(call: Call, version: ApiVersion, kind: SectionKind): Omit<ItemClient, keyof Singles> {
  const { wire, fields, section } = kindOf(kind);
  const decode = decoderOf(kind, version);
  const decodeRow = (row: unknown): LiveItemRow => decode(objectOf(row, wire.noun));
  const routing = Object.fromEntries(Object.entries(fields).filter(([, { routes }]) => routes));
  return {
    addAll: (domain, items) =>
      sendBatch(
        call,
        batchOf(wire, 'add', version),
        domain,
        { [section]: items.map((item) => wire.addition(item)) },
        (json) =>
          decodeBatch(json, {
            field: 'added',
            decode: decodeRow,
            sent: items.map((item) => addedKey(kind, item)),
            keyOf: (row) => addedKey(kind, row),
            // The service may have given another id.
            matches: (index, row) =>
              KINDS[kind].identity === 'id' && differingRows(routing, items[index] ?? {}, row).length === 0,
          }),
      ),
    updateAll: (domain, items) => {
      const body = items.map((item) => ({ id: item.id, ...wire.update(item) }));
      return sendBatch(call, batchOf(wire, 'update', version), domain, { [section]: body }, (json) =>
        decodeBatch(json, {
          field: 'updated',
          decode: decodeRow,
          sent: items.map((item) => idKey(sentKey(item))),
          keyOf,
        }),
      );
    },
    deleteAll: (domain, ids) =>
      sendBatch(call, batchOf(wire, 'delete', version), domain, { ids }, deletedBatch(ids)),
  };
}

/** Parts that every kind has. */
interface AnyKind {
  readonly wire: KindWire;
  readonly fields: FieldRows;
  readonly section: string;
}

function kindOf(kind: SectionKind): AnyKind {
  return KINDS[kind];
}

function batchOf({ writes }: KindWire, verb: Verb, version: ApiVersion): Endpoint {
  const { batch, single } = writes[verb];
  if (batch === null) throw new Error(`the API has no batches beside ${single}`);
  return endpointOf(version, batch);
}

/** Returns a decoder of rows, which also checks that requests can address the item. */
function decoderOf(kind: SectionKind, version: ApiVersion): (json: Json) => LiveItemRow {
  const { wire } = kindOf(kind);
  return (json) => {
    const row = wire.decode(json);
    addressable(wire.segment[version], sentKey(row));
    return row;
  };
}

/** Returns the name of an item in a path or a batch: its id, or its name if it has no id. */
function sentKey({ id, name }: SentItem): string {
  return id ?? name ?? '';
}

function keyOf({ id, name = '' }: LiveItemRow): string {
  return id === undefined ? nameKey(name) : idKey(id);
}

/** Returns the key that identifies a newly added item. */
function addedKey(kind: SectionKind, { id = '', name = '' }: SentItem): string {
  return KINDS[kind].identity === 'id' ? idKey(id) : nameKey(name);
}

/** Returns the secrets of an item, which no message may repeat. */
function secretsOf(fields: FieldRows, item: object): Pick<WireRequest, 'secrets'> {
  const secrets = Object.entries(item).filter(([name]) => fields[name]?.codec.isSecret);
  return secrets.length === 0 ? {} : { secrets: secrets.map(([, value]) => String(value)) };
}
