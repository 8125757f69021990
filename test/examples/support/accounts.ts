import type { Seed, SeedAlias, SeedDomain } from '../../../src/emulator/account/seed.ts';

/** An account in which what an example wants is partly there, partly different, and not alone. */
export const ACCOUNTS: Readonly<Record<string, Seed>> = {
  'minimal.yaml': {
    account: { email: 'me@acme.example' },
    domains: [
      domain('acme.example', { info: 'old@corp.example', kept: 'ana@corp.example' }),
      domain('private.example', { '*': 'me@home.example' }),
    ],
  },
  acme: {
    account: { email: 'ops@acme.example' },
    whitelabels: ['mail.partner.example'],
    domains: [
      {
        ...domain('acme.example', {
          postmaster: 'ana@corp.example',
          info: 'ana@corp.example',
          fax: 'olga@corp.example',
          'tmp-fair': 'eve@corp.example',
        }),
        rules: [
          { type: 'alias', config: { alias: 'jobs', forward: 'hr@corp.example,olga@corp.example' }, rank: 1 },
          {
            type: 'regex',
            config: { regex: '.*invoice.*', scopes: ['subject'], forward: 'billing@corp.example' },
            rank: 2,
          },
        ],
        credentials: [{ username: 'printer', password: 'correct horse' }, { username: 'scanner' }],
      },
      domain('acme-2019.example', { '*': 'olga@corp.example' }),
      domain('acme-garden.example', { info: 'ana@corp.example' }),
    ],
  },
  agency: {
    account: { email: 'ops@agency.example' },
    domains: [
      domain('oak-works.example', { info: 'someone@oak-mail.example', kept: 'ana@oak-mail.example' }),
      domain('oak-works-shop.example', { postmaster: 'ops@agency.example' }),
      domain('agency.example', { '*': 'ops@agency.example' }),
    ],
  },
};

/** Values of the examples' references. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  ACME_API_KEY: 'examples-key',
  FWDSYNC_API_KEY: 'examples-key',
  BOSS_ADDRESS: 'the.boss@home.example',
  CAROL_SMTP_PASSWORD: 'a long enough one',
};

function domain(name: string, aliases: Readonly<Record<string, string>>): SeedDomain {
  const list: SeedAlias[] = Object.entries(aliases).map(([alias, forward]) => ({ alias, forward }));
  return { domain: name, created_at: '2025-03-01T09:00:00Z', aliases: list };
}
