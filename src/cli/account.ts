import type { Account } from '../model/observed.ts';
import { apiFailure, connect } from './connect.ts';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { resolveConnection, resolveFormat, type CommonOptions } from './settings.ts';

/** Shows the account and how much of its plan is used: the quickest way to see whether the key works. */
export async function accountCommand(context: Context, options: CommonOptions): Promise<ExitCode> {
  const format = resolveFormat(options, context, ['text', 'json']);
  const client = connect(context, resolveConnection(options, {}, context), 'read-only');
  try {
    const [account, domains] = await Promise.all([client.getAccount(), client.listDomains()]);
    if (!account.ok) throw apiFailure(account.error);
    if (!domains.ok) throw apiFailure(domains.error);
    const document = accountDocument(account.value, client.url, client.version, domains.value.length);
    context.stdout.write(
      format === 'json' ? `${JSON.stringify(document, null, 2)}\n` : renderAccount(document),
    );
    return EXIT.done;
  } finally {
    await client.close();
  }
}

type AccountDocument = ReturnType<typeof accountDocument>;

/** `fwdsync/account@1`; a limit of null is unknown or unlimited. */
function accountDocument(account: Account, url: string, version: string, domains: number) {
  return {
    kind: 'fwdsync/account@1',
    api: { url, version },
    account: {
      email: account.email,
      locked: account.locked,
      lockReason: account.lockReason,
      overQuota: account.overQuota,
      plan: account.plan,
    },
    used: { domains },
  };
}

function renderAccount({ account, api, used }: AccountDocument): string {
  const rows: readonly (readonly [string, string])[] = [
    ['account', account.email],
    ['api', `${api.url} (${api.version})`],
    ['plan', account.plan.name ?? 'unknown'],
    ['domains', `${used.domains} of ${limit(account.plan.domainsLimit)}`],
    ['aliases', `up to ${limit(account.plan.aliasesLimit)}`],
    ['rules', `up to ${limit(account.plan.rulesLimit)}`],
    ['locked', account.locked ? `yes${account.lockReason === null ? '' : `, ${account.lockReason}`}` : 'no'],
    ['over quota', account.overQuota ? 'yes' : 'no'],
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}${value}\n`).join('');
}

function limit(value: number | null): string {
  return value === null ? 'an unknown number' : String(value);
}
