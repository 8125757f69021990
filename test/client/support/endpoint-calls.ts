import { decodeForward } from '../../../src/core/model/destinations.ts';
import type { FullClient } from '../../../src/client/create.ts';
import type { DeleteAll } from '../../../src/client/operations/delete-all.ts';
import type { ApiError } from '../../../src/client/errors.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { ENDPOINTS } from '../../../src/core/model/endpoints.ts';
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
  /** As docs/api.md names it. */
  readonly method: string;
  readonly call: (client: FullClient) => Promise<Result<unknown, ApiError>>;
}

type Calls<Version extends keyof typeof ENDPOINTS> = Readonly<
  Record<keyof (typeof ENDPOINTS)[Version], EndpointCall>
>;

function by(
  method: keyof FullClient,
  call: (client: FullClient) => Promise<Result<unknown, ApiError>>,
): EndpointCall {
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
  listAliases: by('listAliases', (client) => client.listAliases(DOMAIN)),
  getAlias: by('getAlias', (client) => client.getAlias(DOMAIN, '7')),
  addAlias: by('addAlias', (client) => client.addAlias(DOMAIN, { alias: 'a', forward: TO })),
  addAliases: by('addAliases', (client) => client.addAliases(DOMAIN, [{ alias: 'a', forward: TO }])),
  updateAlias: by('updateAlias', (client) => client.updateAlias(DOMAIN, { id: '7', forward: TO })),
  updateAliases: by('updateAliases', (client) => client.updateAliases(DOMAIN, [{ id: '7', forward: TO }])),
  deleteAlias: by('deleteAlias', (client) => client.deleteAlias(DOMAIN, '7')),
  deleteAliases: by('deleteAliases', (client) => client.deleteAliases(DOMAIN, ['7', '8'])),
  listRules: by('listRules', (client) => client.listRules(DOMAIN)),
  getRule: by('getRule', (client) => client.getRule(DOMAIN, RULE)),
  addRule: by('addRule', (client) => client.addRule(DOMAIN, { match: MATCH, forward: TO })),
  addRules: by('addRules', (client) => client.addRules(DOMAIN, [{ match: MATCH, forward: TO }])),
  updateRule: by('updateRule', (client) =>
    client.updateRule(DOMAIN, { id: RULE, match: MATCH, forward: TO }),
  ),
  updateRules: by('updateRules', (client) =>
    client.updateRules(DOMAIN, [{ id: RULE, match: MATCH, forward: TO }]),
  ),
  deleteRule: by('deleteRule', (client) => client.deleteRule(DOMAIN, RULE)),
  deleteRules: by('deleteRules', (client) => client.deleteRules(DOMAIN, [RULE])),
  listCredentials: by('listCredentials', (client) => client.listCredentials(DOMAIN)),
  addCredential: by('addCredential', (client) =>
    client.addCredential(DOMAIN, 'dan' as CredentialName, PASSWORD),
  ),
  updateCredential: by('updateCredential', (client) => client.updateCredential(DOMAIN, CAROL, PASSWORD)),
  deleteCredential: by('deleteCredential', (client) => client.deleteCredential(DOMAIN, CAROL)),
  listLogs: by('listLogs', (client) => client.listLogs(DOMAIN)),
  countLogs: by('countLogs', (client) => client.countLogs(DOMAIN)),
  getLog: by('getLog', (client) => client.getLog(DOMAIN, 'log-1')),
} as const;

/** One call of the client an endpoint; the compiler keeps it complete. */
export const CALLS: { readonly v4: Calls<'v4'>; readonly v3: Calls<'v3'> } = {
  v4: {
    ...BOTH,
    searchLogs: by('searchLogs', (client) => client.searchLogs(DOMAIN, { text: 'hello' })),
  },
  v3: {
    ...BOTH,
    listWhitelabels: by('listWhitelabels', async (client) => orFail(await client.listWhitelabels?.())),
    bulkAliases: {
      method: 'bulk.addAliases',
      call: async (client) => orFail(await client.bulk?.addAliases(DOMAIN, [{ alias: 'a', forward: TO }])),
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

/** What stands apart from the client. */
export const DELETE_ALL_CALLS = {
  aliases: { method: 'deleteAllAliases', call: (all: DeleteAll) => all.deleteAllAliases(DOMAIN) },
  rules: { method: 'deleteAllRules', call: (all: DeleteAll) => all.deleteAllRules(DOMAIN) },
} as const;

function orFail<T>(result: Result<T, ApiError> | undefined): Result<T, ApiError> {
  if (result === undefined) throw new Error('this generation has no such call');
  return result;
}
