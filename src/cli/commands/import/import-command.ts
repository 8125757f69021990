import { plural } from '../../../core/model/names.ts';
import {
  importForwards,
  type ImportSettings,
  type SourceFile,
} from '../../../core/manifest/import/import.ts';
import { didYouMean } from '../../../core/manifest/read/suggest.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError } from '../../exit.ts';
import { requireDomain } from '../../input/arguments.ts';
import { commandLineHere } from '../../output/command-lines.ts';
import { openExcerpt, printProblems } from '../../output/problems/problems.ts';
import { createProgress } from '../../output/progress/progress.ts';
import { readSources } from './read-sources.ts';
import { importDocument, importProblems, importSummary, shownSources } from './report-import.ts';
import { assertSourceFlags, tableColumns, refuseSource, type SourceFlags } from './source-flags.ts';
import { writeImport, type ImportTarget, type WrittenImport } from './write-import.ts';

export interface ImportFlags extends ImportTarget, SourceFlags {
  readonly for?: readonly string[];
  readonly engine: 'aliases' | 'rules';
}

/** Writes a manifest of the forwards of another system; offline, without a key. Exits with 3 when something was left out. */
export async function importCommand(
  context: Context,
  { settings: { manifest }, options, args }: CommandCall<ImportFlags>,
): Promise<CommandResult> {
  assertUsable(context, options);
  const settings = settingsOf(options, manifest.domains);
  const files = await readSources(context, args);
  announce(context, files);
  const imported = importForwards(files, settings);
  if (!imported.ok) return refuseSource(context, imported.error, files);
  const { names, notes } = imported.value;
  for (const domain of settings.only ?? []) assertNamed(domain, names);
  const progress = createProgress(context);
  const total = settings.only?.size ?? names.length;
  const written = await writeImport(context, options, imported.value, (count) =>
    progress.update(() => ({ label: 'importing', fraction: count / total, note: plural(count, 'domain') })),
  );
  progress.stop();
  await report(context, options, written, { notes, files });
  const exit = written.leftOut.length > 0 ? EXIT.partial : EXIT.done;
  return { exit, ...(context.format === 'json' ? { document: importDocument(written, notes) } : {}) };
}

/** Importing this many lines takes about two seconds. */
const MANY_LINES = 100_000;

/** Says that an import takes a while. The progress counts domains, and a domain may have all of the entries. */
function announce({ stderr }: Context, files: readonly SourceFile[]): void {
  const lines = files.reduce((sum, { text }) => sum + text.lineStarts.length - 1, 0);
  if (lines >= MANY_LINES) stderr.write(`importing ${lines} lines\n`);
}

/** Reports on standard error what is left out, general notes, and what was written. */
async function report(
  context: Context,
  options: ImportFlags,
  written: WrittenImport,
  { notes, files }: { readonly notes: readonly string[]; readonly files: readonly SourceFile[] },
): Promise<void> {
  const problems = importProblems(written.leftOut);
  const texts = context.stderr.isTTY === true ? shownSources(files) : [];
  printProblems(context, problems, await openExcerpt(context, { problems, texts }));
  for (const note of notes) context.stderr.write(`note: ${note}\n`);
  const where = options.outDir ?? written.files[0];
  context.stderr.write(`${importSummary(written, where)}\n`);
  if (where === undefined) return;
  const command = commandLineHere({ ...context, given: { file: [where] } });
  context.stderr.write(`next: ${command('validate')}\n`);
}

function assertUsable({ format, mask }: Context, options: ImportFlags): void {
  const { out, outDir, force } = options;
  const isPrinted = out === undefined && outDir === undefined;
  const faults: readonly (readonly [boolean, string, string])[] = [
    [
      mask !== false,
      'FWDSYNC_MASK cannot be used with import: a masked destination is not a destination',
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
      'name the file for the manifest',
    ],
    [force === true && isPrinted, '--force has no effect here', 'leave it out'],
  ];
  const [, message, hint] = faults.find(([isFault]) => isFault) ?? [];
  if (message !== undefined && hint !== undefined) throw usageError(message, hint);
  assertSourceFlags(options);
}

function settingsOf(options: ImportFlags, domains: readonly string[] | null): ImportSettings {
  const { delimiter, engine } = options;
  return {
    localDomains: (options.for ?? []).map((domain) => requireDomain(domain, '--for')),
    only: domains === null ? null : new Set(domains.map((name) => requireDomain(name, '--domain'))),
    columns: tableColumns(options),
    delimiter,
    engine,
  };
}

function assertNamed(domain: string, names: readonly string[]): void {
  if (names.includes(domain)) return;
  throw usageError(`--domain ${domain}: no file names it`, didYouMean(domain, names, 'check the spelling'));
}
