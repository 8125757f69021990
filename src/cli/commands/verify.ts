import type { FullClient } from '../../client/create.ts';
import { errorText } from '../../client/errors.ts';
import { plural, type DomainName } from '../../core/model/names.ts';
import { requireDomain } from '../input/arguments.ts';
import { answerOf, apiFailure, assertAccount, connectShown } from '../input/connect.ts';
import type { Context } from '../context.ts';
import { ownApi } from '../input/manifest/desired.ts';
import { EXIT, interruptedExit, strongestExit, type ExitCode } from '../exit.ts';
import { DOCUMENT_FORMATS } from '../output/formats.ts';
import { printJson } from '../output/output.ts';
import { requestsHeadway } from '../output/progress/headway.ts';
import { resolveConnection, resolveFormat, type CommonOptions } from '../settings.ts';
import {
  domainText,
  verifyDocument,
  type VerifiedRecords,
  type VerifyDocument,
} from '../output/documents/verify-document.ts';

/**
 * Asks the service to check the DNS of the named domains, or of all of the account, and prints what is missing as lines of a
 * zone file. Exits with 2 when a domain is not ready, with 1 when one could not be verified, and with what is known by then
 * when it is interrupted.
 */
export async function verifyCommand(
  context: Context,
  options: CommonOptions,
  args: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  // Of many accounts each is asked for those of the named domains that its manifest names.
  const names = context.ofAccount === undefined ? args : (options.domain ?? []);
  const named = names.map((name) => requireDomain(name));
  const connection = await resolveConnection(options, await ownApi(context, options), context);
  const { client, progress } = connectShown(context, connection, 'read-write');
  try {
    if (context.ofAccount !== undefined) await assertAccount(client, connection);
    const domains = named.length > 0 ? [...new Set(named)] : await listDomains(client);
    progress.follow(requestsHeadway(context, client, { label: 'verifying' }));
    const results = await Promise.all(domains.map((domain) => verifyOne(client, domain)));
    progress.stop();
    const document = verifyDocument(client, results);
    if (format === 'json') printJson(context, document);
    else printText(context, document);
    const { ready, notReady, failed } = document.summary;
    const verdict = `${ready} ready, ${notReady} not ready, ${failed} failed`;
    context.ofAccount?.report({ verdict });
    return context.signal.aborted && failed > 0 ? interruptedExit(context) : exitOf(document);
  } finally {
    progress.stop();
    await client.close();
  }
}

async function listDomains(client: FullClient): Promise<readonly DomainName[]> {
  return answerOf(await client.listDomains()).map(({ domain }) => domain);
}

/** A key that is not accepted, or a service that cannot be reached, ends the command; another failure is the domain's. */
async function verifyOne(client: FullClient, domain: DomainName): Promise<VerifiedRecords> {
  const answer = await client.verifyDomain(domain);
  if (answer.ok) return { domain, answer: answer.value, failure: null };
  const { kind } = answer.error;
  if (kind === 'stopped') return { domain, answer: null, failure: INTERRUPTED };
  if (kind !== 'not-found' && kind !== 'rejected' && kind !== 'forbidden' && kind !== 'unknown-outcome') {
    throw apiFailure(answer.error);
  }
  return { domain, answer: null, failure: errorText(answer.error) };
}

const INTERRUPTED = 'interrupted';

function isInterrupted({ failure }: Pick<VerifiedRecords, 'failure'>): boolean {
  return failure === INTERRUPTED;
}

/** Domains that an interruption left out are a number. */
function printText({ stdout, stderr }: Context, { domains }: VerifyDocument): void {
  const [left, asked] = [domains.filter(isInterrupted), domains.filter((one) => !isInterrupted(one))];
  stdout.write(asked.map(domainText).join(''));
  if (left.length > 0) stderr.write(`interrupted: ${plural(left.length, 'domain')} not verified\n`);
}

function exitOf({ summary }: VerifyDocument): ExitCode {
  return strongestExit([
    ...(summary.failed > 0 ? [EXIT.failed] : []),
    ...(summary.notReady > 0 ? [EXIT.changes] : []),
  ]);
}
