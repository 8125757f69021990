import type { SourceFile } from '../../../core/manifest/import/import.ts';
import { REASON_WORDS } from '../../../core/manifest/import/reasons.ts';
import { shownText, textOfSpan, withoutSecrets } from '../../../core/manifest/import/shown-text.ts';
import type { LeftOut } from '../../../core/manifest/import/translated.ts';
import { leftOutSubject } from '../../../core/manifest/import/write/manifest-text.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { sourceOf } from '../../../core/manifest/read/text.ts';
import { compareSources, type Problem } from '../../../core/model/manifest/problem.ts';
import { plural } from '../../../core/model/names.ts';
import type { WrittenImport } from './write-import.ts';

/** Returns the document `fwdsync/import@1`; see schemas/import.v1.schema.json. */
export function importDocument(written: WrittenImport, notes: readonly string[]): object {
  const { domains, aliases, rules, leftOut, files } = written;
  return {
    kind: 'fwdsync/import@1',
    domains,
    aliases,
    rules,
    leftOut: leftOut.map(({ span, address, reason, fallsTo }) => ({
      source: sourceOf(span),
      address: address === null ? null : shownText(address),
      reason,
      text: textOfSpan(span),
      fallsTo: fallsTo === null ? null : fallsTo.map(shownText),
    })),
    notes,
    files,
  };
}

/** Turns lines that are left out into problems with their places. */
export function importProblems(leftOut: readonly LeftOut[]): readonly Problem[] {
  return leftOut
    .map((missing): Problem => {
      const { span, reason, fallsTo } = missing;
      const { message, hint } = REASON_WORDS[reason];
      const falls = fallsTo === null ? '' : `; its mail now goes to ${fallsTo.map(shownText).join(', ')}`;
      return {
        severity: 'warning',
        code: reason,
        message: `${leftOutSubject(missing)} is left out: ${message}${falls}`,
        hint,
        source: sourceOf(span),
      };
    })
    .sort((a, b) => compareSources(a.source, b.source));
}

/** Returns the sources with lines that may be shown. */
export function shownSources(files: readonly SourceFile[]): readonly ManifestText[] {
  return files.map(({ text }) => ({ file: text.file, text: withoutSecrets(text.text) }));
}

/** Returns a line about the written files. It begins with the number of addresses that now go elsewhere. */
export function importSummary(
  { domains, aliases, rules, leftOut }: WrittenImport,
  where: string | undefined,
): string {
  const falling = leftOut.filter(({ fallsTo }) => fallsTo !== null).length;
  const counts = [plural(domains, 'domain'), plural(aliases, 'alias'), plural(rules, 'rule')].join(', ');
  const parts = [
    ...(falling === 0
      ? []
      : [`${plural(falling, 'address')} now ${falling === 1 ? 'goes' : 'go'} elsewhere`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out`]),
    `${where === undefined ? 'imported' : `wrote ${where}:`} ${counts}`,
  ];
  return parts.join('; ');
}
