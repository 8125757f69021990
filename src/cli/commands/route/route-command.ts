import {
  type DomainName,
  domainPartOf,
  localPartOf,
  parseDomainName,
  quote,
} from '../../../core/model/names.ts';
import type { Context } from '../../context.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import { EXIT, usageError } from '../../exit.ts';
import { routeDocument } from '../../output/documents/route-document.ts';
import { renderRoute } from '../../output/documents/route-text.ts';
import { sentenceColumns } from '../../output/output.ts';
import { askAccount } from './ask-account.ts';
import { askManifest } from './ask-manifest.ts';

export interface RouteOptions {
  readonly from?: string;
  readonly subject?: string;
  readonly body?: string;
  readonly live?: true;
}

/**
 * Shows the way of a message to its end, with the match at each hop, by the manifest (offline) or by the live
 * account.
 */
export async function routeCommand(
  context: Context,
  { settings, options, args: [address = ''] }: CommandCall<RouteOptions>,
): Promise<CommandResult> {
  const { to, domain } = parseMailAddress(address);
  const mail = { to, from: options.from ?? '', subject: options.subject ?? '', body: options.body ?? '' };
  if (options.live !== true) assertOffline(context.given);
  const findings =
    options.live === true
      ? await askAccount(context, settings, domain, mail)
      : await askManifest(context, settings.manifest, mail);
  const document = routeDocument(mail, findings);
  const columns = sentenceColumns(context.stdout);
  return {
    exit: EXIT.done,
    ...chooseOutput(context, document, () => renderRoute(document, findings, columns)),
  };
}

/**
 * Ends the command if an address or an account is given without --live. Either means that the user wants to ask the
 * account.
 */
export function assertOffline({ apiUrl, account }: Context['given']): void {
  const flag = apiUrl !== undefined ? '--api-url' : account !== undefined ? '--account' : null;
  if (flag === null) return;
  throw usageError(
    `${flag} has no effect without --live, because route then uses the manifest`,
    `add --live, or leave ${flag} out`,
  );
}

/** Parses an address, with its domain in the form for comparison. */
export function parseMailAddress(address: string): { readonly to: string; readonly domain: DomainName } {
  const local = localPartOf(address);
  const domain = parseDomainName(domainPartOf(address));
  if (local === '' || !domain.ok) {
    const what = `${quote(address)} is not an address`;
    throw usageError(what, 'write it whole, such as sales@acme.example');
  }
  return { to: `${local}@${domain.value}`, domain: domain.value };
}
