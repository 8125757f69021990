import { plural } from '../../model/names.ts';
import type { FullClient } from '../../api/create.ts';
import { accountDocument, accountText, type AccountFacts } from '../output/documents/account-document.ts';
import { answerOf, assertAccount, connect } from '../input/connect.ts';
import type { Context } from '../context.ts';
import { ownApi } from '../input/desired.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { DOCUMENT_FORMATS } from '../output/formats.ts';
import { printJson } from '../output/output.ts';
import { resolveConnection, resolveFormat, type CommonOptions } from '../settings.ts';

/** Shows the account and how much of its plan is used: the quickest way to see whether the key works. */
export async function accountCommand(context: Context, options: CommonOptions): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  const connection = await resolveConnection(options, await ownApi(context, options), context);
  const client = connect(context, connection, 'read-only');
  try {
    if (context.ofAccount !== undefined) await assertAccount(client, connection);
    const document = accountDocument(await readAccount(client));
    if (format === 'json') printJson(context, document);
    else context.stdout.write(accountText(document));
    context.ofAccount?.conclude(`${document.account.email}, ${plural(document.used.domains, 'domain')}`);
    return EXIT.done;
  } finally {
    await client.close();
  }
}

async function readAccount(client: FullClient): Promise<AccountFacts> {
  const [account, domains, whitelabels] = await Promise.all([
    client.getAccount(),
    client.listDomains(),
    client.listWhitelabels?.() ?? null,
  ]);
  return {
    account: answerOf(account),
    api: { url: client.url, version: client.version },
    domains: answerOf(domains).length,
    whitelabels: whitelabels === null ? null : answerOf(whitelabels),
  };
}
