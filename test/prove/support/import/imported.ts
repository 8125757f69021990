import {
  importForwards,
  type ImportSettings,
  type SourceFile,
} from '../../../../src/core/manifest/import/import.ts';
import type { ImportedDomain, LeftOut } from '../../../../src/core/manifest/import/translated.ts';
import {
  importedDomainText,
  manifestHead,
} from '../../../../src/core/manifest/import/write/manifest-text.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import { createSourceText } from '../../../../src/core/manifest/read/text.ts';
import type { Desired } from '../../../../src/core/model/desired.ts';
import { DISCLOSE_ALL } from '../../../../src/core/model/destinations.ts';
import { traceDesired } from '../../../../src/cli/commands/route/ask-manifest.ts';
import { routeDocument } from '../../../../src/cli/output/documents/route-document.ts';

/** An import, its manifest, and the result of `validate`. */
export interface ImportedManifest {
  readonly text: string;
  readonly desired: Desired;
  readonly domains: readonly ImportedDomain[];
  readonly leftOut: readonly LeftOut[];
}

interface NamedText {
  readonly format: SourceFile['format'];
  readonly file: string;
  readonly text: string;
}

const SETTINGS: ImportSettings = {
  localDomains: [],
  only: null,
  columns: null,
  delimiter: '+',
  engine: 'aliases',
};

/** Imports texts. Throws if the manifest is not valid. */
export function importTexts(
  texts: readonly NamedText[],
  {
    fileDomains = [],
    ...settings
  }: Partial<ImportSettings> & { readonly fileDomains?: readonly (string | null)[] } = {},
): ImportedManifest {
  const files = texts.map(({ format, file, text }, index) => {
    const fileDomain = fileDomains[index] ?? null;
    return { format, text: createSourceText(file, text), fileDomain, include: () => null };
  });
  const imported = importForwards(files, { ...SETTINGS, ...settings });
  if (!imported.ok) throw new Error(imported.error.message);
  const domains = [...imported.value.domains];
  const head = manifestHead(imported.value.notes);
  const body = domains.length === 0 ? 'domains: {}\n' : 'domains:\n';
  const text = [head, body, ...domains.map((domain) => importedDomainText(domain))].join('');
  const options = { references: 'optional', resolve: () => null, apiVersion: null } as const;
  const { desired, problems } = loadManifest([{ file: 'imported.yaml', text }], options);
  if (desired === null) throw new Error(`${JSON.stringify(problems)}\n${text}`);
  const leftOut = [...imported.value.leftOut, ...domains.flatMap((domain) => domain.leftOut)];
  return { text, desired, domains, leftOut };
}

/** Returns the final destinations that `fwdsync route` shows, in lower case; null means discarded. */
export function routedTo(to: string, desired: Desired): readonly string[] | null {
  const mail = { to, from: '', subject: '', body: '' };
  const { outcome, forward } = routeDocument(mail, traceDesired(desired, mail, DISCLOSE_ALL));
  return outcome === 'discarded' ? null : forward.map((each) => each.toLowerCase()).sort();
}
