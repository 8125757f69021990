import { parseWanted, type WantedDestination } from '../../../core/manifest/who/wanted.ts';
import { findWho } from '../../../core/manifest/who/who.ts';
import type { Desired } from '../../../core/model/desired.ts';
import { domainPartOf, type DomainName } from '../../../core/model/names.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError, type ExitCode } from '../../exit.ts';
import { invalidManifest, readDesired } from '../../input/manifest/desired.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { disclosureOf, printJson, sentenceColumns } from '../../output/output.ts';
import { shellCommand } from '../../output/shell-command.ts';
import { styleFor } from '../../output/style.ts';
import { resolveFormat, type CommonOptions } from '../../settings.ts';
import { assertOffline } from '../route/route.ts';
import { whoDocument, type WhoAnswer } from './who-document.ts';
import { renderWho } from './who-text.ts';

export interface WhoOptions extends CommonOptions {
  readonly live?: true;
}

/** Lists everything whose mail ends at a destination: by the manifest, offline, or by the live account. */
export async function whoCommand(
  context: Context,
  options: WhoOptions,
  [text = '']: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  const wanted = requireWanted(text);
  if (options.live !== true) assertOffline(options);
  const answer =
    options.live === true
      ? await (await import('./who-account.ts')).askAccountWho(context, options, wanted)
      : await askManifestWho(context, options, wanted);
  const document = whoDocument(answer);
  if (format === 'json') printJson(context, document);
  else {
    const style = styleFor(context.stdout, options.color, context.env);
    const columns = sentenceColumns(context.stdout);
    const next = nextOf(answer, document.destination, options);
    context.stdout.write(renderWho(document, answer, { style, columns, next }));
  }
  return answer.unread.length > 0 ? EXIT.failed : EXIT.done;
}

function requireWanted(text: string): WantedDestination {
  const wanted = parseWanted(text);
  if (!wanted.ok) throw usageError(wanted.error.message, wanted.error.hint);
  return wanted.value;
}

async function askManifestWho(
  context: Context,
  options: WhoOptions,
  wanted: WantedDestination,
): Promise<WhoAnswer> {
  const { desired, problems, texts } = await readDesired(context, options, {
    references: 'unneeded',
    problems: 'errors-printed',
  });
  if (desired === null) throw invalidManifest(problems);
  return {
    basis: 'manifest',
    destination: wanted.text,
    ...findWho({ texts, desired, wanted }),
    isRouted: isRoutedBy(desired, wanted),
    unread: [],
    disclosure: disclosureOf(desired, options, context),
  };
}

/** True if a domain of the manifest routes mail to an address. */
export function isRoutedBy({ domains }: Pick<Desired, 'domains'>, { text }: WantedDestination): boolean {
  if (text.includes('://') || text.startsWith('*@')) return false;
  return domains.get(domainPartOf(text) as DomainName)?.state === 'present';
}

/** Returns the command that changes a destination; null where what would be typed is not shown, or is no destination. */
function nextOf({ destination, basis }: WhoAnswer, shown: string, options: WhoOptions): string | null {
  if (basis === 'account' || shown !== destination || destination.startsWith('*@')) return null;
  return shellCommand(['replace', destination, 'NEW', '--dry-run'], options);
}
