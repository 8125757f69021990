import { decodeForward } from '../../../src/core/model/destinations.ts';
import type { FullClient } from '../../../src/client/create.ts';
import type { DeleteAll } from '../../../src/client/operations/delete-all.ts';
import type { ApiError } from '../../../src/client/errors.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { CredentialName, DomainName } from '../../../src/core/model/names.ts';
import type { Result } from '../../../src/core/model/result.ts';

const DOMAIN = 'acme.example' as DomainName;
const CAROL = 'carol' as CredentialName;
const RULE = '64cffc51-580c-56bc-b6a5-d741eea021e1';
const PASSWORD = 'correct horse battery';
const MATCH = { type: 'alias', alias: 'jobs' } as const;
const FORWARD = 'ana@corp.example';
const TO = decodeForward(FORWARD);

/** An account in which every call below has something to find. */
export const SEED: Seed = {
  whitelabels: ['mail.partner.example'],
  domains: [
    {
      domain: DOMAIN,
      aliases: [
        { id: 7, alias: 'sales', forward: FORWARD },
        { id: 8, alias: 'info', forward: FORWARD },
      ],
      rules: [{ id: RULE, type: 'alias', config: { alias: 'jobs', forward: FORWARD } }],
      credentials: [{ username: CAROL, password: PASSWORD }],
      logs: [{ id: 'log-1', sender: 'x@corp.example', recipient: `sales@${DOMAIN}`, subject: 'hello' }],
    },
  ],
};

export interface EndpointCall {
  /** Name in docs/api.md. */
  readonly method: string;
  readonly call: (client: FullClient) => Promise<Result<unknown, ApiError>>;
}

/** By operation. */
type Calls = Readonly<Record<string, EndpointCall>>;

function by(method: string, call: (client: FullClient) => Promise<Result<unknown, ApiError>>): EndpointCall {
  return { method, call };
}

const BOTH = {
  getAccount: by('getAccount', (client) => client.getAccount()),
  listDomains: by('listDomains', (client) => client.listDomains()),
  getDomain: by('getDomain', (client) => client.getDomain(DOMAIN)),
  addDomain: by('addDomain', (client) => client.addDomain('new.example' as DomainName, {})),
  updateDomain: by('updateDomain', (client) => client.updateDomain(DOMAIN, { notification_email: FORWARD })),
  deleteDomain: by('deleteDomain', (client) => client.deleteDomain(DOMAIN)),
  verifyDomain: by('verifyDomain', (client) => client.verifyDomain(DOMAIN)),
  listAliases: by('items(alias).list', (client) => client.items('alias').list(DOMAIN)),
  getAlias: by('items(alias).get', (client) => client.items('alias').get(DOMAIN, '7')),
  addAlias: by('items(alias).add', (client) => client.items('alias').add(DOMAIN, { name: 'a', forward: TO })),
  addAliases: by('items(alias).addAll', (client) =>
    client.items('alias').addAll(DOMAIN, [{ name: 'a', forward: TO }]),
  ),
  updateAlias: by('items(alias).update', (client) =>
    client.items('alias').update(DOMAIN, { id: '7', forward: TO }),
  ),
  updateAliases: by('items(alias).updateAll', (client) =>
    client.items('alias').updateAll(DOMAIN, [{ id: '7', forward: TO }]),
  ),
  deleteAlias: by('items(alias).delete', (client) => client.items('alias').delete(DOMAIN, '7')),
  deleteAliases: by('items(alias).deleteAll', (client) =>
    client.items('alias').deleteAll(DOMAIN, ['7', '8']),
  ),
  listRules: by('items(rule).list', (client) => client.items('rule').list(DOMAIN)),
  getRule: by('items(rule).get', (client) => client.items('rule').get(DOMAIN, RULE)),
  addRule: by('items(rule).add', (client) => client.items('rule').add(DOMAIN, { match: MATCH, forward: TO })),
  addRules: by('items(rule).addAll', (client) =>
    client.items('rule').addAll(DOMAIN, [{ match: MATCH, forward: TO }]),
  ),
  updateRule: by('items(rule).update', (client) =>
    client.items('rule').update(DOMAIN, { id: RULE, match: MATCH, forward: TO }),
  ),
  updateRules: by('items(rule).updateAll', (client) =>
    client.items('rule').updateAll(DOMAIN, [{ id: RULE, match: MATCH, forward: TO }]),
  ),
  deleteRule: by('items(rule).delete', (client) => client.items('rule').delete(DOMAIN, RULE)),
  deleteRules: by('items(rule).deleteAll', (client) => client.items('rule').deleteAll(DOMAIN, [RULE])),
  listCredentials: by('items(credential).list', (client) => client.items('credential').list(DOMAIN)),
  addCredential: by('items(credential).add', (client) =>
    client.items('credential').add(DOMAIN, { name: 'dan' as CredentialName, password: PASSWORD }),
  ),
  updateCredential: by('items(credential).update', (client) =>
    client.items('credential').update(DOMAIN, { name: CAROL, password: PASSWORD }),
  ),
  deleteCredential: by('items(credential).delete', (client) =>
    client.items('credential').delete(DOMAIN, CAROL),
  ),
  listLogs: by('listLogs', (client) => client.listLogs(DOMAIN)),
  countLogs: by('countLogs', (client) => client.countLogs(DOMAIN)),
  getLog: by('getLog', (client) => client.getLog(DOMAIN, 'log-1')),
} as const;

/** One call of the client an endpoint. */
export const CALLS: Readonly<Record<'v4' | 'v3', Calls>> = {
  v4: {
    ...BOTH,
    searchLogs: by('searchLogs', (client) => client.searchLogs(DOMAIN, { text: 'hello' })),
  },
  v3: {
    ...BOTH,
    listWhitelabels: by('listWhitelabels', async (client) => orFail(await client.listWhitelabels?.())),
    bulkAliases: {
      method: 'bulk.addAliases',
      call: async (client) => orFail(await client.bulk?.addAliases(DOMAIN, [{ name: 'a', forward: TO }])),
    },
    bulkRules: {
      method: 'bulk.addRules',
      call: async (client) => orFail(await client.bulk?.addRules(DOMAIN, [{ match: MATCH, forward: TO }])),
    },
    listAliasLogs: by('listLogs', (client) => client.listLogs(DOMAIN, { alias: 'sales' })),
    searchLogs: by('searchLogs', (client) =>
      client.searchLogs(DOMAIN, { text: 'hello', after: 0, before: 2e12 }),
    ),
  },
};

/** Endpoints that are not part of the client. */
export const DELETE_ALL_CALLS = {
  aliases: { method: 'deleteAllAliases', call: (all: DeleteAll) => all.deleteAllAliases(DOMAIN) },
  rules: { method: 'deleteAllRules', call: (all: DeleteAll) => all.deleteAllRules(DOMAIN) },
} as const;

function orFail<T>(result: Result<T, ApiError> | undefined): Result<T, ApiError> {
  if (result === undefined) throw new Error('this generation has no such call');
  return result;
}
