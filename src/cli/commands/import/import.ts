import {
  importForwards,
  type ImportSettings,
  type SourceFile,
} from '../../../core/manifest/import/import.ts';
import type { SourceFault } from '../../../core/manifest/import/source-format.ts';
import { didYouMean } from '../../../core/manifest/read/suggest.ts';
import { sourceOf } from '../../../core/manifest/read/text.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import type { Context } from '../../context.ts';
import { CommandError, EXIT, type ExitCode, usageError } from '../../exit.ts';
import { requireDomain } from '../../input/arguments.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { printJson } from '../../output/output.ts';
import { NO_COUNTS, openExcerpt, printInvalid, printProblems } from '../../output/problems/problems.ts';
import { createProgress } from '../../output/progress/progress.ts';
import { resolveFormat, wantsMask, type CommonOptions } from '../../settings.ts';
import { readSources } from './read-sources.ts';
import { importDocument, importProblems, importSummary, shownSources } from './report-import.ts';
import { writeImport, type ImportTarget, type WrittenImport } from './write-import.ts';

export interface ImportFlags extends CommonOptions, ImportTarget {
  readonly for?: readonly string[];
  readonly engine?: 'aliases' | 'rules';
  readonly delimiter?: string;
  readonly address?: string;
  readonly destination?: string;
}

/** Writes a manifest of the forwards of another system; offline, without a key. Exits with 3 when something was left out. */
export async function importCommand(
  context: Context,
  options: ImportFlags,
  args: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  assertUsable(context, options, format);
  const settings = settingsOf(options);
  const files = await readSources(context, args);
  const imported = importForwards(files, settings);
  if (!imported.ok) return refuse(context, options, imported.error, files);
  const { names, notes } = imported.value;
  for (const domain of settings.only ?? []) assertNamed(domain, names);
  const progress = createProgress(context);
  const total = settings.only?.size ?? names.length;
  const written = await writeImport(context, options, imported.value, (count) =>
    progress.update(() => ({ label: 'importing', fraction: count / total, note: `${count} domains` })),
  );
  progress.stop();
  if (format === 'json') printJson(context, importDocument(written, notes));
  await report(context, options, written, { notes, files });
  return written.leftOut.length > 0 ? EXIT.partial : EXIT.done;
}

/** Says on standard error what is left out, what is true of all, and what was written. */
async function report(
  context: Context,
  options: ImportFlags,
  written: WrittenImport,
  { notes, files }: { readonly notes: readonly string[]; readonly files: readonly SourceFile[] },
): Promise<void> {
  const problems = importProblems(written.leftOut);
  const texts = context.stderr.isTTY === true ? shownSources(files) : [];
  printProblems(context, options, problems, await openExcerpt(context, options, { problems, texts }));
  for (const note of notes) context.stderr.write(`note: ${note}\n`);
  context.stderr.write(importSummary(written, options));
}

function assertUsable(context: Context, options: ImportFlags, format: 'text' | 'json'): void {
  const { out, outDir, force, address, destination, delimiter } = options;
  const isPrinted = out === undefined && outDir === undefined;
  const faults: readonly (readonly [boolean, string, string])[] = [
    [
      wantsMask(options, context),
      'a masked destination is not a destination: import takes no mask',
      'unset FWDSYNC_MASK',
    ],
    [
      out !== undefined && outDir !== undefined,
      '--out and --out-dir cannot be used together',
      'give one of them',
    ],
    [
      format === 'json' && isPrinted,
      '--format json needs --out or --out-dir',
      'name where the manifest goes',
    ],
    [force === true && isPrinted, '--force has no effect here', 'leave it out'],
    [
      (address === undefined) !== (destination === undefined),
      '--address and --destination are needed together',
      'name both columns',
    ],
    [
      !/^[+\-=_.#!]$/.test(delimiter ?? '+'),
      '--delimiter takes one sign',
      'give the recipient_delimiter of main.cf, such as +',
    ],
  ];
  const [, message, hint] = faults.find(([isFault]) => isFault) ?? [];
  if (message !== undefined && hint !== undefined) throw usageError(message, hint);
}

function settingsOf(options: ImportFlags): ImportSettings {
  const { address, destination } = options;
  return {
    localDomains: (options.for ?? []).map((domain) => requireDomain(domain, '--for')),
    only:
      options.domain === undefined
        ? null
        : new Set(options.domain.map((name) => requireDomain(name, '--domain'))),
    columns: address === undefined || destination === undefined ? null : { address, destination },
    delimiter: options.delimiter ?? '+',
    engine: options.engine ?? 'aliases',
  };
}

function assertNamed(domain: string, names: readonly string[]): void {
  if (names.includes(domain)) return;
  throw usageError(`--domain ${domain}: no file names it`, didYouMean(domain, names, 'check the spelling'));
}

/** A text that is not what its format says is shown with its place; a missing option is wrong usage. */
async function refuse(
  context: Context,
  options: ImportFlags,
  { kind, span, message, hint }: SourceFault,
  files: readonly SourceFile[],
): Promise<ExitCode> {
  const source = span === null ? null : sourceOf(span);
  if (kind === 'usage') {
    throw new CommandError(EXIT.usage, `${source === null ? '' : `${showSource(source)}: `}${message}`, hint);
  }
  const problems = [{ severity: 'error' as const, code: 'broken-source', message, hint, source }];
  const excerpt = await openExcerpt(context, options, { problems, texts: shownSources(files) });
  printInvalid(context, options, { problems, counts: NO_COUNTS }, excerpt);
  return EXIT.invalid;
}
