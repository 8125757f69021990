import type { Print } from '../../core/fields/codec.ts';
import { areStill, type FieldRows } from '../../core/fields/fields.ts';
import { itemKey } from '../../core/kinds/item-key.ts';
import { liveItems, type LiveItem } from '../../core/kinds/items.ts';
import { KINDS } from '../../core/kinds/registry.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Observed, ObservedDomain } from '../../core/model/observed.ts';
import type { RunItem } from './run-items.ts';

/** The live items of a domain. */
export interface LiveRows {
  readonly domain: ObservedDomain | undefined;
  /** Live items by `itemKey`. */
  readonly items: ReadonlyMap<string, LiveItem>;
}

export function liveRows({ domains }: Pick<Observed, 'domains'>, name: DomainName): LiveRows {
  const domain = domains.get(name);
  const items = domain === undefined ? [] : liveItems(domain);
  return { domain, items: new Map(items.map((item) => [itemKey(item), item])) };
}

/** True if the account has the item as it was kept. A kept null means that the item did not exist. */
export function isLive(item: RunItem, kept: RunItem['original'], live: LiveRows, print: Print): boolean {
  const row = item.kind === 'domain' ? live.domain : live.items.get(itemKey(item))?.state;
  if (kept === null || row === undefined) return (kept === null) === (row === undefined);
  return areStill(writtenRows(item), kept, row, print);
}

/** Returns the rows of the settings that the run wrote. For other kinds, returns all rows. */
function writtenRows({ kind, fields }: RunItem): FieldRows {
  const rows = KINDS[kind].fields;
  if (kind !== 'domain') return rows;
  return Object.fromEntries(Object.entries(rows).filter(([name]) => fields.includes(name)));
}
