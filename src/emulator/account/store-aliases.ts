import { checkAliasName, checkForward } from './fields.ts';
import { invalid, notFound, ok, type Alias, type StoreResult } from './model.ts';
import {
  clearIndex,
  compareUnits,
  createIndex,
  insertInto,
  readPage,
  removeFrom,
  type Page,
} from '../index/sorted.ts';
import { type AliasTable, type DomainRecord, type State } from './state.ts';
import { checkRoom } from './store-limits.ts';
import type { Switches } from './switches.ts';

export type ListOrder = 'name_asc' | 'name_desc' | 'created_asc' | 'created_desc';

export interface AliasQuery {
  /** Substring of the alias or of its destinations, without case. */
  readonly query?: string | undefined;
  /** Start of the alias, without case (v3). */
  readonly prefix?: string | undefined;
  readonly order: ListOrder;
  readonly offset: number;
  readonly limit: number;
}

export function createAliasTable({ nameOrder }: Switches): AliasTable {
  return {
    byId: new Map(),
    byName: new Map(),
    inNameOrder: createIndex((a, b) => compareUnits(a.sortKey, b.sortKey) || a.id - b.id, textOf),
    nameOrder,
    inCreatedOrder: createIndex(byCreation, textOf),
    patterns: createIndex(byCreation),
  };
}

export function listAliases(domain: DomainRecord, query: AliasQuery): Page<Alias> {
  const { inNameOrder, inCreatedOrder } = domain.aliases;
  return readPage(query.order.startsWith('name') ? inNameOrder : inCreatedOrder, {
    offset: query.offset,
    limit: query.limit,
    direction: query.order.endsWith('_asc') ? 'ascending' : 'descending',
    containing: query.query?.toLowerCase(),
    keep: query.prefix === undefined ? undefined : hasPrefix(query.prefix.toLowerCase()),
  });
}

export function findAlias(domain: DomainRecord, id: number): StoreResult<Alias> {
  const alias = domain.aliases.byId.get(id);
  return alias === undefined ? notFound('alias') : ok(alias);
}

export function findAliasByName(state: State, domain: DomainRecord, name: string): StoreResult<Alias> {
  const alias = domain.aliases.byName.get(nameKey(name, state.switches));
  return alias === undefined ? notFound('alias') : ok(alias);
}

/** Whether the name is a regular expression: a plus sign or a star alone does not make one. */
export function isPattern(name: string): boolean {
  return /[()[\]{}|\\^$]|\.[*+?]/.test(name);
}

/** Adds an alias; errors: invalid `alias` or `forward`, a name that exists, a plan limit. */
export function addAlias(
  state: State,
  domain: DomainRecord,
  fields: { readonly alias: string; readonly forward: string },
): StoreResult<Alias> {
  const name = checkAliasName(fields.alias, 'alias');
  if (!name.ok) return name;
  const forward = checkForward(fields.forward, domain.name, state.switches);
  if (!forward.ok) return forward;
  if (domain.aliases.byName.has(nameKey(name.value, state.switches))) {
    return invalid('alias', `The alias "${name.value}" exists already; please update the existing one.`);
  }
  const room = checkRoom(state, domain, 'alias');
  if (!room.ok) return room;
  const now = state.environment.now();
  return ok(
    insertAlias(state, domain, {
      name: name.value,
      forward: forward.value,
      createdAt: now,
      updatedAt: now,
    }),
  );
}

/** Puts an alias in place without any check: for seeds, and for what the service adds itself. */
export function insertAlias(
  state: State,
  domain: DomainRecord,
  fields: {
    readonly name: string;
    readonly forward: string;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly id?: number | undefined;
  },
): Alias {
  const id = fields.id ?? state.nextAliasId;
  state.nextAliasId = Math.max(state.nextAliasId, id + 1);
  const lowered = fields.name.toLowerCase();
  const name = state.switches.aliasNameCase === 'lowered' ? lowered : fields.name;
  const alias: Alias = {
    id,
    name,
    sortKey: domain.aliases.nameOrder === 'lower-case' ? lowered : name,
    forward: fields.forward,
    createdAt: fields.createdAt,
    updatedAt: fields.updatedAt,
  };
  domain.aliases.byId.set(id, alias);
  domain.aliases.byName.set(nameKey(alias.name, state.switches), alias);
  insertInto(domain.aliases.inNameOrder, alias);
  insertInto(domain.aliases.inCreatedOrder, alias);
  if (isPattern(alias.name)) insertInto(domain.aliases.patterns, alias);
  state.aliasCount += 1;
  return alias;
}

export function updateAlias(
  state: State,
  domain: DomainRecord,
  id: number,
  fields: { readonly forward?: string | undefined },
): StoreResult<Alias> {
  const found = findAlias(domain, id);
  if (!found.ok) return found;
  if (fields.forward !== undefined) {
    const forward = checkForward(fields.forward, domain.name, state.switches);
    if (!forward.ok) return forward;
    found.value.forward = forward.value;
  }
  found.value.updatedAt = state.environment.now();
  return found;
}

export function deleteAlias(state: State, domain: DomainRecord, id: number): StoreResult<Alias> {
  const found = findAlias(domain, id);
  if (!found.ok) return found;
  const alias = found.value;
  domain.aliases.byId.delete(id);
  domain.aliases.byName.delete(nameKey(alias.name, state.switches));
  removeFrom(domain.aliases.inNameOrder, alias);
  removeFrom(domain.aliases.inCreatedOrder, alias);
  if (isPattern(alias.name)) removeFrom(domain.aliases.patterns, alias);
  state.aliasCount -= 1;
  return found;
}

/** Gives the number of aliases removed. */
export function deleteAllAliases(state: State, domain: DomainRecord): number {
  const count = domain.aliases.byId.size;
  domain.aliases.byId.clear();
  domain.aliases.byName.clear();
  clearIndex(domain.aliases.inNameOrder);
  clearIndex(domain.aliases.inCreatedOrder);
  clearIndex(domain.aliases.patterns);
  state.aliasCount -= count;
  return count;
}

function byCreation(a: Alias, b: Alias): number {
  return a.createdAt - b.createdAt || a.id - b.id;
}

function hasPrefix(prefix: string): (alias: Alias) => boolean {
  return ({ name }) => name.toLowerCase().startsWith(prefix);
}

/** What `query` looks at: a line for the name, and one for the destinations. */
function textOf({ sortKey, forward }: Alias): string {
  return `${sortKey}\n${forward}`;
}

function nameKey(name: string, switches: Switches): string {
  return switches.aliasNameCase === 'sensitive' ? name : name.toLowerCase();
}
