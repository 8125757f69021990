import { destinationNames } from '../../../core/manifest/destination-names.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { ReplaceTerms } from '../../../core/manifest/replace/plan-replacement.ts';
import { replaceDestination } from '../../../core/manifest/replace/replace.ts';
import type { Desired } from '../../../core/model/desired.ts';
import { showText, type Disclosure } from '../../../core/model/destinations.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import { openJobs } from '../../accounts/accounts.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError } from '../../exit.ts';
import { readDesired, readValid } from '../../input/manifest/desired.ts';
import { commandLineHere } from '../../output/command-lines.ts';
import { saveTogether, type FileChange } from '../../output/files-together.ts';
import { sentenceColumns } from '../../output/output.ts';
import { invalidManifest } from '../../output/problems/problems.ts';
import { styleFor } from '../../output/paint.ts';
import { isInStore, type ManifestSettings, type Settings } from '../../settings/resolve-settings.ts';
import { replaceDocument, type FoundPlaces, type ReplaceDocument } from './replace-document.ts';
import { parseReplacement, replaceTerms, type WantedReplacement } from './replace-terms.ts';
import { renderReplace } from './replace-text.ts';

export interface ReplaceOptions {
  readonly remove?: string;
  readonly dryRun?: true;
}

/** Changes a destination everywhere in the manifests, in all files or none. Never makes a manifest invalid. */
export async function replaceCommand(
  context: Context,
  { settings, options, args }: CommandCall<ReplaceOptions>,
): Promise<CommandResult> {
  const wanted = parseReplacement(args, options);
  assertWritable(context, settings.manifest);
  const parts = await readParts(context, settings);
  const { groups } = destinationNames(parts.flatMap(({ texts }) => texts));
  const terms = replaceTerms(wanted, groups);
  const replaced: ReplacedPart[] = [];
  for (const part of parts) replaced.push(await replacePart(part, terms));
  const isRefused = replaced.some(({ found }) => found.only.length > 0);
  const files = isRefused ? [] : replaced.flatMap((part) => part.files);
  const written = options.dryRun !== true && files.length > 0;
  if (written) await saveTogether(context, files);
  const exit = isRefused ? EXIT.refused : EXIT.done;
  if (context.format === 'json')
    return { exit, document: documentOfAll(replaced, (one) => replaceDocument(wanted, one, { written })) };
  const all = joined(replaced);
  const { disclosure } = all;
  const command = commandLineHere(context);
  const look = {
    style: styleFor(context.stdout, context.color),
    columns: sentenceColumns(context.stdout),
    next: nextOf(wanted, command, { written, disclosure }),
    command,
    disclosure,
  };
  return { exit, text: renderReplace(replaceDocument(wanted, all, { written }), files, look) };
}

/**
 * Ends the command if the manifests cannot be written. The command shows clear text, so a mask would hide what
 * changes.
 */
function assertWritable({ mask }: Pick<Context, 'mask'>, { accounts, paths }: ManifestSettings): void {
  if (mask !== false) {
    throw usageError('FWDSYNC_MASK cannot be used with replace: it shows what it changes', 'unset it');
  }
  if (accounts !== null) return;
  const unwritable = paths.find((path) => path === '-' || isInStore(path));
  if (unwritable === undefined) return;
  throw usageError(`replace cannot write to ${unwritable}`, 'name files or directories with -f');
}

/** The manifest of one account. */
interface Part {
  /** null means that there is only one account. */
  readonly name: string | null;
  readonly context: Context;
  readonly manifest: ManifestSettings;
  readonly texts: readonly ManifestText[];
  readonly desired: Desired;
}

async function readParts(context: Context, settings: Settings): Promise<readonly Part[]> {
  const { accounts } = settings.manifest;
  const jobs =
    accounts === null
      ? [{ name: null, context, settings }]
      : (await openJobs(context, settings, accounts)).jobs;
  const parts: Part[] = [];
  for (const {
    name,
    context: own,
    settings: { manifest },
  } of jobs) {
    const { desired, texts } = await readValid(own, manifest, { references: 'unneeded', warnings: 'silent' });
    parts.push({ name, context: own, manifest, texts, desired });
  }
  return parts;
}

interface ReplacedPart {
  readonly name: string | null;
  readonly found: FoundPlaces;
  readonly files: readonly FileChange[];
}

async function replacePart(
  { name, context, manifest, texts, desired }: Part,
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
  const from = { kind: 'texts', texts: replaced.texts } as const;
  const after = await readDesired(context, manifest, { references: 'unneeded', from });
  if (after.desired !== null) return { name, found, files };
  throw invalidManifest(context, {
    ...after,
    message: 'with this change the manifest would be invalid; nothing was written',
    hint: 'choose another destination, or change these places by hand',
  });
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

/** Returns one document, or one for each of many accounts. */
function documentOfAll(
  replaced: readonly ReplacedPart[],
  documentOf: (found: FoundPlaces) => ReplaceDocument,
): object {
  const [first] = replaced;
  if (first?.name === null) return documentOf(first.found);
  const accounts = replaced.map(({ name, found }) => ({
    name,
    exitCode: found.only.length > 0 ? EXIT.refused : EXIT.done,
    document: documentOf(found),
    error: null,
  }));
  return { kind: 'fwdsync/accounts@1', accounts };
}

/**
 * Returns the next command: the plan of what was written, or the same command without --dry-run. null means that it
 * may not be shown.
 */
function nextOf(
  { from, to }: WantedReplacement,
  command: CommandLine,
  { written, disclosure }: { readonly written: boolean; readonly disclosure: Disclosure },
): string | null {
  if (written) return command('plan');
  const words = to === null ? ['--remove', from] : [from, to];
  const next = command(`replace ${words.map(quoteForShell).join(' ')}`);
  return showText(next, disclosure) === next ? next : null;
}
