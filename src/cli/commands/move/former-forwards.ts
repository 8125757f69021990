import { importForwards } from '../../../core/manifest/import/import.ts';
import type { ImportedDomain } from '../../../core/manifest/import/translated.ts';
import type { DomainName } from '../../../core/model/names.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import type { CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { readSources } from '../import/read-sources.ts';
import { tableColumns, refuseSource, type SourceFlags } from '../import/source-flags.ts';

export interface FormerFlags extends SourceFlags {
  readonly from?: readonly string[];
}

/** Reads the forwards of the domain in the old system; null if no file is named. Names without a domain belong to it. */
export async function readFormerForwards(
  context: Context,
  options: FormerFlags,
  domain: DomainName,
): Promise<Result<ImportedDomain | null, CommandResult>> {
  const { from = [], delimiter } = options;
  if (from.length === 0) return succeed(null);
  const files = await readSources(context, from);
  const imported = importForwards(files, {
    localDomains: [domain],
    only: new Set([domain]),
    columns: tableColumns(options),
    delimiter,
    engine: 'aliases',
  });
  if (!imported.ok) return fail(await refuseSource(context, imported.error, files));
  const [found] = imported.value.domains;
  if (found !== undefined && found.aliases.length + found.leftOut.length > 0) return succeed(found);
  throw usageError(`--from: no line is about ${domain}`, 'check the file, and the spelling of the domain');
}
