import { RECORD_FORMATS } from '../../core/dns/record-formats.ts';
import type { FullClient } from '../../client/create.ts';
import { errorText } from '../../client/errors.ts';
import { plural, type DomainName } from '../../core/model/names.ts';
import { requireDomain } from '../input/arguments.ts';
import { answerOf, apiFailure, assertAccount, connectShown } from '../input/connect.ts';
import type { Context } from '../context.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../command.ts';
import { ownApi } from '../input/manifest/desired.ts';
import { EXIT, interruptedExit, strongestExit, type ExitCode } from '../exit.ts';
import { requestsHeadway } from '../output/progress/headway.ts';
import { resolveConnection } from '../settings/connection.ts';
import {
  recordsText,
  verifyDocument,
  type VerifiedRecords,
  type VerifyDocument,
} from '../output/documents/verify-document.ts';

/**
 * Asks the service to check the DNS of the named domains, or of all domains of the account. Prints missing records,
 * as lines of a zone file by default. Exits with 2 if a domain is not ready, and with 1 if one could not be verified. If
 * interrupted, exits with what is known so far.
 */
export async function verifyCommand(
  context: Context,
  { settings, args }: CommandCall,
): Promise<CommandResult> {
  const { member } = context;
  // With many accounts, each one checks only the named domains of its manifest.
  const names = member === undefined ? args : (settings.manifest.domains ?? []);
  const named = names.map((name) => requireDomain(name));
  const api = await ownApi(context, settings.manifest);
  const connection = await resolveConnection(context, settings, api);
  const { client, progress } = connectShown(context, connection, 'read-write');
  try {
    if (member !== undefined) await assertAccount(client, connection);
    const domains = named.length > 0 ? [...new Set(named)] : await listDomains(client);
    progress.follow(requestsHeadway(context, client, { label: 'verifying' }));
    const results = await Promise.all(domains.map((domain) => verifyOne(client, domain)));
    progress.stop();
    const document = verifyDocument(client, results);
    const { ready, notReady, failed } = document.summary;
    const verdict = `${ready} ready, ${notReady} not ready, ${failed} failed`;
    const exit = context.signal.aborted && failed > 0 ? interruptedExit(context) : exitOf(document);
    return { exit, ...chooseOutput(context, document, () => textOf(context, results)), verdict };
  } finally {
    progress.stop();
    await client.close();
  }
}

async function listDomains(client: FullClient): Promise<readonly DomainName[]> {
  return answerOf(await client.listDomains()).map(({ domain }) => domain);
}

/**
 * Verifies one domain. A refused key or an unreachable service ends the command. Any other failure belongs to the
 * domain.
 */
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

/** Returns the text of the domains that were asked about; those that an interruption left out are a number. */
function textOf({ stderr, format }: Context, results: readonly VerifiedRecords[]): string {
  const asked = results.filter((one) => !isInterrupted(one));
  const left = results.length - asked.length;
  if (left > 0) stderr.write(`interrupted: ${plural(left, 'domain')} not verified\n`);
  const form = RECORD_FORMATS.find((one) => one === format) ?? 'zone';
  return asked.map((one) => recordsText(form, one)).join('');
}

function exitOf({ summary }: VerifyDocument): ExitCode {
  return strongestExit([
    ...(summary.failed > 0 ? [EXIT.failed] : []),
    ...(summary.notReady > 0 ? [EXIT.changes] : []),
  ]);
}
