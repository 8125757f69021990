import { ifGiven, readFields, type BodyObject } from './body.ts';
import { found, invalid, ok, type Checked } from '../checked.ts';
import { forwardField, nameField } from './fields.ts';
import type { ItemKind } from './kind.ts';
import type { Alias } from '../model.ts';
import { checkRoom, countInAccount, type DomainRecord, type State } from '../state.ts';
import type { Switches } from '../switches.ts';
import { compareUnits, createTable } from '../table.ts';

/** The alias kind. Aliases are found by name and by id. */
export const ALIAS_KIND: ItemKind<Alias> = {
  noun: 'alias',
  plural: 'aliases',
  tableOf: (domain) => domain.aliases,
  find: (domain, id) => found(domain.aliases.get(id, 'id'), 'alias'),
  add: addAlias,
  update: updateAlias,
  neededOnUpdate: () => 'required',
  // v4: Limits.
  batchCreateNeedsPlan: ({ freeBatchCreate }) => freeBatchCreate !== 'allow',
};

export function createAliases(switches: Switches): DomainRecord['aliases'] {
  const sortKey = ({ alias }: Alias): string =>
    switches.nameOrder === 'lower-case' ? alias.toLowerCase() : alias;
  return createTable({
    keys: { name: ({ alias }) => alias, id: ({ id }) => String(id) },
    letterCase: switches.aliasNameCase === 'sensitive' ? 'exact' : 'any',
    orders: {
      name: (a, b) => compareUnits(sortKey(a), sortKey(b)) || a.id - b.id,
      created: (a, b) => a.created_at - b.created_at || a.id - b.id,
    },
    // One line for the name and one for the destinations.
    textOf: ({ alias, forward }) => `${alias}\n${forward}`,
  });
}

/** True if the name is a regular expression. A plus sign or a star alone does not make one. */
export function isPattern(name: string): boolean {
  return /[()[\]{}|\\^$]|\.[*+?]/.test(name);
}

/** Adds an alias. It is refused if `alias` or `forward` is invalid, if the name exists, or if a plan limit is reached. */
export function addAlias(state: State, domain: DomainRecord, body: BodyObject): Checked<Alias> {
  const { switches, account } = state;
  const shape = { alias: nameField, forward: forwardField(domain.name, switches) };
  const fields = readFields(body, shape, switches.unknownFields);
  if (!fields.ok) return fields;
  const { alias } = fields.value;
  if (domain.aliases.get(alias) !== undefined) {
    return invalid('alias', `The alias "${alias}" exists already; please update the existing one.`);
  }
  const isPerAccount = switches.aliasesLimitPer === 'account';
  const used = isPerAccount ? countInAccount(state, 'aliases') : domain.aliases.size;
  const room = checkRoom('alias', { limit: account.plan.aliases_limit, used, noun: 'aliases' });
  if (!room.ok) return room;
  const now = state.environment.now();
  return ok(insertAlias(state, domain, { ...fields.value, created_at: now, updated_at: now }));
}

/** Inserts an alias without any check: for seeds, and for aliases that the service adds itself. */
export function insertAlias(
  state: State,
  domain: DomainRecord,
  fields: Omit<Alias, 'id'> & { readonly id?: number | undefined },
): Alias {
  const id = fields.id ?? state.nextAliasId;
  state.nextAliasId = Math.max(state.nextAliasId, id + 1);
  const isLowered = state.switches.aliasNameCase === 'lowered';
  const alias = { ...fields, id, alias: isLowered ? fields.alias.toLowerCase() : fields.alias };
  domain.aliases.insert(alias);
  return alias;
}

function updateAlias(
  state: State,
  { domain, item }: { readonly domain: DomainRecord; readonly item: Alias },
  body: BodyObject,
  needed: 'required' | 'optional',
): Checked<Alias> {
  const forward = forwardField(domain.name, state.switches);
  const shape = { forward: needed === 'required' ? forward : ifGiven(forward) };
  const fields = readFields(body, shape, state.switches.unknownFields);
  if (!fields.ok) return fields;
  item.forward = fields.value.forward ?? item.forward;
  item.updated_at = state.environment.now();
  return ok(item);
}
