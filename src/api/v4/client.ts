import { ENDPOINTS, LIMITS } from '../../model/endpoints.ts';
import { nameKey } from '../../model/names.ts';
import type { ObservedAlias, ObservedRule } from '../../model/observed.ts';
import { decodeBatch } from '../batch.ts';
import type { Call } from '../call.ts';
import type { Client, RuleAddition } from '../client.ts';
import { booleanField, objectField, type Json } from '../decode.ts';
import {
  decodeAccount,
  decodeAlias,
  decodeCredential,
  decodeDomain,
  decodeRule,
} from '../decode-resources.ts';
import { readListing } from '../listing.ts';

const E = ENDPOINTS.v4;
const PAGES = LIMITS.pageSize.v4;

type Operations = Omit<Client, 'version' | 'url' | 'totals' | 'budgets' | 'close'>;

/** The operations of v4 that the reconciler uses (v4: Endpoints). */
export function createV4Operations(call: Call): Operations {
  return { ...accountAndDomains(call), ...aliases(call), ...rules(call), ...credentials(call) };
}

function accountAndDomains(call: Call) {
  const decode = (json: Json | null) => decodeDomain(field(json, 'domain'));
  return {
    getAccount: () =>
      call({ endpoint: E.getAccount, params: {} }, (json) => decodeAccount(field(json, 'account'))),
    listDomains: (filter) =>
      readListing(call, {
        endpoint: E.listDomains,
        params: {},
        query: { order: 'name_asc', ...filter },
        field: 'domains',
        pageSize: PAGES.domains,
        decode: decodeDomain,
        keyOf: ({ domain }) => domain,
      }),
    getDomain: (domain) => call({ endpoint: E.getDomain, params: { domain } }, decode),
    addDomain: (domain, state) =>
      call({ endpoint: E.addDomain, params: {}, body: { domain, ...state } }, decode),
    updateDomain: (domain, state) =>
      call({ endpoint: E.updateDomain, params: { domain }, body: state }, decode),
    deleteDomain: (domain) => call({ endpoint: E.deleteDomain, params: { domain } }, nothing),
  } satisfies Partial<Operations>;
}

function aliases(call: Call) {
  const decode = (json: Json | null) => decodeAlias(field(json, 'alias'));
  const idOf = ({ id }: ObservedAlias) => id;
  return {
    listAliases: (domain) =>
      readListing(call, {
        endpoint: E.listAliases,
        params: { domain },
        // By creation: an alias that somebody adds meanwhile comes last and shifts no page.
        query: { order: 'created_asc' },
        field: 'aliases',
        pageSize: PAGES.aliases,
        decode: decodeAlias,
        keyOf: idOf,
      }),
    addAlias: (domain, alias) => call({ endpoint: E.addAlias, params: { domain }, body: alias }, decode),
    updateAlias: (domain, { id, ...body }) =>
      call({ endpoint: E.updateAlias, params: { domain, id }, body }, decode),
    deleteAlias: (domain, id) => call({ endpoint: E.deleteAlias, params: { domain, id } }, nothing),
    addAliases: (domain, items) =>
      call({ endpoint: E.addAliases, params: { domain }, body: { aliases: items } }, (json) =>
        decodeBatch(json, {
          field: 'added',
          decode: decodeAlias,
          keyOf: ({ name }) => nameKey(name),
          sent: items.map(({ alias }) => nameKey(alias)),
        }),
      ),
    updateAliases: (domain, items) =>
      call({ endpoint: E.updateAliases, params: { domain }, body: { aliases: items } }, (json) =>
        decodeBatch(json, {
          field: 'updated',
          decode: decodeAlias,
          keyOf: idOf,
          sent: items.map(({ id }) => id),
        }),
      ),
    deleteAliases: (domain, ids) =>
      call({ endpoint: E.deleteAliases, params: { domain }, body: { ids } }, deleted(ids)),
  } satisfies Partial<Operations>;
}

function rules(call: Call) {
  const decode = (json: Json | null) => decodeRule(field(json, 'rule'));
  const idOf = ({ id }: ObservedRule) => id.toLowerCase();
  return {
    listRules: (domain) =>
      readListing(call, {
        endpoint: E.listRules,
        params: { domain },
        query: { order: 'created_asc' },
        field: 'rules',
        pageSize: PAGES.rules,
        decode: decodeRule,
        keyOf: idOf,
      }),
    addRule: (domain, rule) =>
      call(
        { endpoint: E.addRule, params: { domain }, body: { ...ruleBody(rule), type: rule.match.type } },
        decode,
      ),
    updateRule: (domain, { id, ...rule }) =>
      call({ endpoint: E.updateRule, params: { domain, rule: id }, body: ruleBody(rule) }, decode),
    deleteRule: (domain, id) => call({ endpoint: E.deleteRule, params: { domain, rule: id } }, nothing),
    addRules: (domain, items) =>
      call(
        {
          endpoint: E.addRules,
          params: { domain },
          body: { rules: items.map((rule) => ({ ...ruleBody(rule), type: rule.match.type })) },
        },
        (json) =>
          decodeBatch(json, {
            field: 'added',
            decode: decodeRule,
            keyOf: idOf,
            sent: items.map(({ id }) => (id ?? '').toLowerCase()),
          }),
      ),
    updateRules: (domain, items) =>
      call({ endpoint: E.updateRules, params: { domain }, body: { rules: items.map(ruleBody) } }, (json) =>
        decodeBatch(json, {
          field: 'updated',
          decode: decodeRule,
          keyOf: idOf,
          sent: items.map(({ id }) => id.toLowerCase()),
        }),
      ),
    deleteRules: (domain, ids) =>
      call({ endpoint: E.deleteRules, params: { domain }, body: { ids } }, deleted(ids)),
  } satisfies Partial<Operations>;
}

function credentials(call: Call) {
  return {
    listCredentials: (domain) =>
      readListing(call, {
        endpoint: E.listCredentials,
        params: { domain },
        query: {},
        field: 'credentials',
        pageSize: PAGES.credentials,
        decode: decodeCredential,
        keyOf: ({ name }) => nameKey(name),
      }),
    addCredential: (domain, username, password) =>
      call({ endpoint: E.addCredential, params: { domain }, body: { username, password } }, (json) => ({
        requiresNewMxCheck: booleanField(json ?? {}, 'requires_new_mx_check'),
      })),
    updateCredential: (domain, username, password) =>
      call({ endpoint: E.updateCredential, params: { domain, username }, body: { password } }, nothing),
    deleteCredential: (domain, username) =>
      call({ endpoint: E.deleteCredential, params: { domain, username } }, nothing),
  } satisfies Partial<Operations>;
}

/** `config` is always whole: the API requires it of every single update (v4: Rules). */
function ruleBody({ match, forward, id, rank, active }: RuleAddition): Json {
  const { type: _, ...condition } = match;
  return {
    ...(id === undefined ? {} : { id }),
    config: { ...condition, forward },
    ...(rank === undefined ? {} : { rank }),
    ...(active === undefined ? {} : { active }),
  };
}

function deleted(ids: readonly string[]) {
  return (json: Json | null) =>
    decodeBatch(json, {
      field: 'deleted',
      decode: (row) => String(row),
      keyOf: (id) => id.toLowerCase(),
      sent: ids.map((id) => id.toLowerCase()),
    }).map((result) => (result.ok ? ({ ok: true, value: undefined } as const) : result));
}

function field(json: Json | null, name: string): Json {
  return objectField(json ?? {}, name);
}

function nothing(): void {}
