import type { Client } from '../../../client/client.ts';
import { createClient } from '../../../client/create.ts';
import type { Seed } from '../../../emulator/account/seed.ts';
import { normaliseDestination } from '../../../core/model/destinations.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { Result } from '../../../core/model/result.ts';
import type { Context } from '../../context.ts';

const ACME = 'acme.example' as DomainName;
const SHOP = 'acme-shop.example' as DomainName;

/** Account before the manifest was first applied. */
export const SEED: Seed = {
  account: { email: 'ops@acme.example' },
  whitelabels: ['mail.partner.example'],
  domains: [
    {
      domain: ACME,
      aliases: [{ alias: 'tmp-fair', forward: 'eve@corp.example' }],
      credentials: [{ username: 'printer', password: 'correct horse' }],
    },
    { domain: SHOP },
    { domain: 'acme-labs.example' },
    {
      domain: 'acme-2019.example',
      aliases: [
        { alias: '*', forward: 'olga@corp.example' },
        { alias: 'info', forward: 'olga@corp.example' },
      ],
    },
    { domain: 'acme-garden.example', aliases: [{ alias: 'info', forward: 'ana@corp.example' }] },
  ],
};

/** Changes the account as a user in a hurry would in a dashboard. Returns the changes, for people. */
export async function drift(context: Context, url: string, key: string): Promise<readonly string[]> {
  const { clock, random } = context;
  const client = createClient({ url, version: 'v4', key, mode: 'read-write', clock, random });
  try {
    await redirectSales(client);
    await removeSupport(client);
    need(
      await client.items('alias').add(ACME, {
        name: 'giveaway',
        forward: [normaliseDestination('someone@mail.example')],
      }),
    );
    await moveFirstRuleToTheEnd(client);
  } finally {
    await client.close();
  }
  return [
    'The manifest was applied once. Since then, in the dashboard, a colleague',
    '  - sent the mail of sales@acme.example to one person',
    '  - deleted support@acme.example',
    '  - added giveaway@acme.example, which the manifest does not name',
    '  - moved the first rule of acme-shop.example to the end',
    'and, in the manifest, a colleague removed acme-2019.example and edited one line.',
  ];
}

async function redirectSales(client: Client): Promise<void> {
  const { id } = await findAlias(client, 'sales');
  need(await client.items('alias').update(ACME, { id, forward: [normaliseDestination('dan@corp.example')] }));
}

async function removeSupport(client: Client): Promise<void> {
  const { id } = await findAlias(client, 'support');
  need(await client.items('alias').delete(ACME, id));
}

async function moveFirstRuleToTheEnd(client: Client): Promise<void> {
  const rules = need(await client.items('rule').list(SHOP)).toSorted((a, b) => a.rank - b.rank);
  const [first] = rules;
  const last = rules.at(-1);
  if (first === undefined || last === undefined) throw new Error('the demo account has no rules');
  const { id, match, forward } = first;
  need(await client.items('rule').update(SHOP, { id, match, forward, rank: last.rank + 10 }));
}

async function findAlias(client: Client, name: string): Promise<{ readonly id: string }> {
  const alias = need(await client.items('alias').list(ACME)).find((candidate) => candidate.name === name);
  if (alias === undefined) throw new Error(`the demo account has no alias ${name}`);
  return alias;
}

function need<T>(result: Result<T, { readonly message: string }>): T {
  if (result.ok) return result.value;
  throw new Error(`the demo account could not be prepared: ${result.error.message}`);
}
