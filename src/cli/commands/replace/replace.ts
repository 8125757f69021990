import { destinationNames } from '../../../core/manifest/destination-names.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { ReplaceTerms } from '../../../core/manifest/replace/plan-replacement.ts';
import { replaceDestination } from '../../../core/manifest/replace/replace.ts';
import type { Desired } from '../../../core/model/desired.ts';
import { showText, type Disclosure } from '../../../core/model/destinations.ts';
import { openJobs } from '../../accounts/accounts.ts';
import type { Context } from '../../context.ts';
import { CommandError, EXIT, usageError, type ExitCode } from '../../exit.ts';
import { invalidManifest, readDesired } from '../../input/manifest/desired.ts';
import { saveTogether, type FileChange } from '../../output/files-together.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { printJson, sentenceColumns } from '../../output/output.ts';
import { shellCommand } from '../../output/shell-command.ts';
import { styleFor } from '../../output/style.ts';
import {
  accountsDirectory,
  isInStore,
  manifestPaths,
  resolveFormat,
  wantsMask,
  type CommonOptions,
} from '../../settings.ts';
import { replaceDocument, type FoundPlaces, type ReplaceDocument } from './replace-document.ts';
import { parseReplacement, replaceTerms, type WantedReplacement } from './replace-terms.ts';
import { renderReplace } from './replace-text.ts';

export interface ReplaceOptions extends CommonOptions {
  readonly remove?: string;
  readonly dryRun?: true;
}

/** Changes a destination wherever manifests write it: in all files or none, and never so that a manifest would be invalid. */
export async function replaceCommand(
  context: Context,
  options: ReplaceOptions,
  words: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  const wanted = parseReplacement(words, options);
  assertWritable(context, options);
  const parts = await readParts(context, options);
  const { groups } = destinationNames(parts.flatMap(({ texts }) => texts));
  const terms = replaceTerms(wanted, groups);
  const replaced: ReplacedPart[] = [];
  for (const part of parts) replaced.push(await replacePart(context, part, terms));
  const isRefused = replaced.some(({ found }) => found.only.length > 0);
  const files = isRefused ? [] : replaced.flatMap((part) => part.files);
  const written = options.dryRun !== true && files.length > 0;
  if (written) await saveTogether(context, files);
  if (format === 'json')
    printDocuments(context, replaced, (one) => replaceDocument(wanted, one, { written }));
  else {
    const all = joined(replaced);
    const { disclosure } = all;
    const document = replaceDocument(wanted, all, { written });
    const style = styleFor(context.stdout, options.color, context.env);
    const columns = sentenceColumns(context.stdout);
    const next = nextOf(wanted, options, { written, disclosure });
    context.stdout.write(renderReplace(document, files, { style, columns, next, disclosure }));
  }
  return isRefused ? EXIT.refused : EXIT.done;
}

/** What is written is clear text: a mask would hide what changes. */
function assertWritable(context: Context, options: ReplaceOptions): void {
  if (wantsMask(options, context)) {
    throw usageError('FWDSYNC_MASK cannot be used with replace: it shows what it changes', 'unset it');
  }
  if (accountsDirectory(options, context) !== null) return;
  const unwritable = manifestPaths(options, context).find((path) => path === '-' || isInStore(path));
  if (unwritable === undefined) return;
  throw usageError(`replace cannot write to ${unwritable}`, 'name files or directories with -f');
}

/** The manifest of one account. */
interface Part {
  /** Null means that there is one account alone. */
  readonly name: string | null;
  readonly options: CommonOptions;
  readonly texts: readonly ManifestText[];
  readonly desired: Desired;
}

async function readParts(context: Context, options: ReplaceOptions): Promise<readonly Part[]> {
  const directory = accountsDirectory(options, context);
  const jobs =
    directory === null
      ? [{ name: null, options }]
      : (await openJobs<CommonOptions>(context, options, directory)).jobs;
  const parts: Part[] = [];
  for (const { name, options: own } of jobs) {
    const { desired, texts, problems } = await readDesired(context, own, HOW);
    if (desired === null) throw invalidManifest(problems);
    parts.push({ name, options: own, texts, desired });
  }
  return parts;
}

const HOW = { references: 'unneeded', problems: 'errors-printed' } as const;

interface ReplacedPart {
  readonly name: string | null;
  readonly found: FoundPlaces;
  readonly files: readonly FileChange[];
}

async function replacePart(
  context: Context,
  { name, options, texts, desired }: Part,
  terms: ReplaceTerms,
): Promise<ReplacedPart> {
  const { references } = desired;
  const replaced = replaceDestination({ texts, references, terms });
  const found = { ...replaced, disclosure: { references, mask: false } as const };
  const files = replaced.texts.flatMap(({ file, text }, index): readonly FileChange[] => {
    const before = texts[index]?.text;
    return before === text ? [] : [{ path: file, before: bytesOf(before), text: String(text) }];
  });
  if (files.length === 0 || replaced.only.length > 0) return { name, found, files };
  const after = await readDesired(context, options, {
    ...HOW,
    from: { kind: 'texts', texts: replaced.texts },
  });
  if (after.desired !== null) return { name, found, files };
  throw new CommandError(
    EXIT.invalid,
    'with this change the manifest would be invalid; nothing was written',
    'choose another destination, or change these places by hand',
  );
}

function bytesOf(text: ManifestText['text'] | undefined): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : (text ?? new Uint8Array());
}

function joined(replaced: readonly ReplacedPart[]): FoundPlaces {
  const all = replaced.map(({ found }) => found);
  return {
    changes: all.flatMap(({ changes }) => changes),
    only: all.flatMap(({ only }) => only),
    references: all.flatMap(({ references }) => references),
    disclosure: {
      references: new Map(all.flatMap(({ disclosure }) => [...disclosure.references])),
      mask: false,
    },
  };
}

/** Prints one document, or one for each of many accounts. */
function printDocuments(
  context: Context,
  replaced: readonly ReplacedPart[],
  documentOf: (found: FoundPlaces) => ReplaceDocument,
): void {
  const [first] = replaced;
  if (first?.name === null) return printJson(context, documentOf(first.found));
  const accounts = replaced.map(({ name, found }) => ({
    name,
    exitCode: found.only.length > 0 ? EXIT.refused : EXIT.done,
    document: documentOf(found),
    error: null,
  }));
  printJson(context, { kind: 'fwdsync/accounts@1', accounts });
}

/** Returns the command that comes next: the plan of what was written, or the same without --dry-run; null where it may not be shown. */
function nextOf(
  { from, to }: WantedReplacement,
  options: ReplaceOptions,
  { written, disclosure }: { readonly written: boolean; readonly disclosure: Disclosure },
): string | null {
  if (written) return shellCommand(['plan'], options);
  const command = shellCommand(['replace', ...(to === null ? ['--remove', from] : [from, to])], options);
  return showText(command, disclosure) === command ? command : null;
}
