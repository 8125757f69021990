import { plural } from '../../core/model/names.ts';
import type { FullClient } from '../../client/create.ts';
import { escapeInvisible } from '../../core/model/names.ts';
import type { Account } from '../../core/model/observed.ts';
import { answerOf, assertAccount, connect } from '../input/connect.ts';
import type { Context } from '../context.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../command.ts';
import { ownApi } from '../input/manifest/desired.ts';
import { EXIT } from '../exit.ts';
import { resolveConnection } from '../settings/connection.ts';

/** Shows the account and how much of its plan is used: the quickest way to see whether the key works. */
export async function accountCommand(context: Context, { settings }: CommandCall): Promise<CommandResult> {
  const api = await ownApi(context, settings.manifest);
  const connection = await resolveConnection(context, settings, api);
  const client = connect(context, connection, 'read-only');
  try {
    if (context.member !== undefined) await assertAccount(client, connection);
    const document = await readAccount(client);
    const verdict = `${document.account.email}, ${plural(document.used.domains, 'domain')}`;
    return { exit: EXIT.done, ...chooseOutput(context, document, () => accountText(document)), verdict };
  } finally {
    await client.close();
  }
}

/** `fwdsync/account@1`: schemas/account.v1.schema.json. A limit of null is unknown or unlimited. */
interface AccountDocument {
  readonly kind: 'fwdsync/account@1';
  readonly api: { readonly url: string; readonly version: 'v4' | 'v3' };
  readonly account: Account;
  readonly used: { readonly domains: number };
  /** null means that this API version has no such list. */
  readonly whitelabels: readonly string[] | null;
}

async function readAccount(client: FullClient): Promise<AccountDocument> {
  const [account, domains, whitelabels] = await Promise.all([
    client.getAccount(),
    client.listDomains(),
    client.listWhitelabels?.() ?? null,
  ]);
  const { email, locked, lockReason, overQuota, plan } = answerOf(account);
  return {
    kind: 'fwdsync/account@1',
    api: { url: client.url, version: client.version },
    account: { email, locked, lockReason, overQuota, plan },
    used: { domains: answerOf(domains).length },
    whitelabels: whitelabels === null ? null : answerOf(whitelabels),
  };
}

/** Renders one fact per line. */
function accountText({ account, api, used, whitelabels }: AccountDocument): string {
  const { plan, locked, lockReason } = account;
  const rows: readonly (readonly [string, string])[] = [
    ['account', account.email],
    ['api', `${api.url} (${api.version})`],
    ['plan', plan.name ?? 'unknown'],
    ['domains', `${used.domains} of ${limit(plan.domainsLimit)}`],
    ['aliases', `up to ${limit(plan.aliasesLimit)}`],
    ['rules', `up to ${limit(plan.rulesLimit)}`],
    ['locked', locked ? `yes${lockReason === null ? '' : `, ${lockReason}`}` : 'no'],
    // v3: Account says nothing of it.
    ...(api.version === 'v4' ? [['over quota', account.overQuota ? 'yes' : 'no'] as const] : []),
    ...(whitelabels === null ? [] : [['whitelabels', whitelabels.join(', ') || 'none'] as const]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(13)}${escapeInvisible(value)}\n`).join('');
}

function limit(value: number | null): string {
  return value === null ? 'an unknown number' : String(value);
}
