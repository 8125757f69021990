import type { ImportSettings, SourceFile } from '../../../core/manifest/import/import.ts';
import type { SourceFault } from '../../../core/manifest/import/source-format.ts';
import { sourceOf } from '../../../core/manifest/read/text.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import type { CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError } from '../../exit.ts';
import { NO_COUNTS, openExcerpt, printProblems, problemsDocument } from '../../output/problems/problems.ts';
import { shownSources } from './report-import.ts';

/** Flags that say how files of other systems are read. */
export interface SourceFlags {
  readonly delimiter: string;
  readonly address?: string;
  readonly destination?: string;
}

export function assertSourceFlags({ delimiter, address, destination }: SourceFlags): void {
  if ((address === undefined) !== (destination === undefined))
    throw usageError('--address and --destination are needed together', 'name both columns');
  if (!/^[+\-=_.#!]$/.test(delimiter))
    throw usageError('--delimiter takes one character', 'give the recipient_delimiter of main.cf, such as +');
}

export function tableColumns({ address, destination }: SourceFlags): ImportSettings['columns'] {
  return address === undefined || destination === undefined ? null : { address, destination };
}

/** Refuses a text that does not have its format, and shows the place. A missing option is wrong usage. */
export async function refuseSource(
  context: Context,
  { kind, span, message, hint }: SourceFault,
  files: readonly SourceFile[],
): Promise<CommandResult> {
  const source = span === null ? null : sourceOf(span);
  if (kind === 'usage')
    throw usageError(`${source === null ? '' : `${showSource(source)}: `}${message}`, hint);
  const problems = [{ severity: 'error' as const, code: 'broken-source', message, hint, source }];
  if (context.format === 'json')
    return { exit: EXIT.invalid, document: problemsDocument(problems, NO_COUNTS) };
  printProblems(context, problems, await openExcerpt(context, { problems, texts: shownSources(files) }));
  return { exit: EXIT.invalid };
}
