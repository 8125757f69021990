import { parseWanted, type WantedDestination } from '../../../core/manifest/who/wanted.ts';
import { findWho } from '../../../core/manifest/who/who.ts';
import type { Desired } from '../../../core/model/desired.ts';
import { domainPartOf, type DomainName } from '../../../core/model/names.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError } from '../../exit.ts';
import { readValid } from '../../input/manifest/desired.ts';
import { commandLineHere } from '../../output/command-lines.ts';
import { sentenceColumns } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';
import type { ManifestSettings } from '../../settings/resolve-settings.ts';
import { assertOffline } from '../route/route-command.ts';
import { whoDocument, type WhoAnswer } from './who-document.ts';
import { renderWho, whoHeadline } from './who-text.ts';

export interface WhoOptions {
  readonly live?: true;
}

/** Lists everything whose mail ends at a destination: by the manifest, offline, or by the live account. */
export async function whoCommand(
  context: Context,
  { settings, options, args: [text = ''] }: CommandCall<WhoOptions>,
): Promise<CommandResult> {
  const wanted = requireWanted(text);
  if (options.live !== true) assertOffline(context.given);
  const answer =
    options.live === true
      ? await (await import('./ask-account-who.ts')).askAccountWho(context, settings, wanted)
      : await askManifestWho(context, settings.manifest, wanted);
  const document = whoDocument(answer);
  const look = {
    style: styleFor(context.stdout, context.color),
    columns: sentenceColumns(context.stdout),
    next: nextOf(context, answer, document.destination),
  };
  return {
    exit: answer.unread.length > 0 ? EXIT.failed : EXIT.done,
    verdict: whoHeadline(document),
    ...chooseOutput(context, document, () => renderWho(document, answer, look)),
  };
}

function requireWanted(text: string): WantedDestination {
  const wanted = parseWanted(text);
  if (!wanted.ok) throw usageError(wanted.error.message, wanted.error.hint);
  return wanted.value;
}

async function askManifestWho(
  context: Context,
  manifest: ManifestSettings,
  wanted: WantedDestination,
): Promise<WhoAnswer> {
  const how = { references: 'unneeded', warnings: 'silent' } as const;
  const { desired, texts } = await readValid(context, manifest, how);
  return {
    basis: 'manifest',
    destination: wanted.text,
    ...findWho({ texts, desired, wanted }),
    isRouted: isRoutedBy(desired, wanted),
    unread: [],
    disclosure: { references: desired.references, mask: context.mask },
  };
}

/** True if a domain of the manifest routes mail to an address. */
export function isRoutedBy({ domains }: Pick<Desired, 'domains'>, { text }: WantedDestination): boolean {
  if (text.includes('://') || text.startsWith('*@')) return false;
  return domains.get(domainPartOf(text) as DomainName)?.state === 'present';
}

/**
 * Returns the command that changes a destination. null means that the text to type is hidden, or is not a
 * destination.
 */
function nextOf(context: Context, { destination, basis }: WhoAnswer, shown: string): string | null {
  if (basis === 'account' || shown !== destination || destination.startsWith('*@')) return null;
  return commandLineHere(context)(`replace ${quoteForShell(destination)} NEW --dry-run`);
}
