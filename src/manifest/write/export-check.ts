import type { DomainDocument, ManifestDocument } from '../../model/manifest-document.ts';
import { quote, type DomainName } from '../../model/names.ts';
import type { Problem } from '../../model/problem.ts';
import { loadManifest } from '../load.ts';
import { createLocator, type Item } from './locate.ts';
import { entriesOf, valueOf } from '../read/node.ts';
import { createProblemLog } from '../problems.ts';
import { parseDocuments } from '../read/syntax.ts';
import { createSourceText, type ManifestText } from '../read/text.ts';
import { writeManifest } from './write.ts';

export interface DomainDraft {
  readonly domain: DomainName;
  readonly document: DomainDocument;
  /** What is left out, and why. */
  readonly comments: readonly string[];
}

/** Each round leaves out what is wrong; that can bring only a few kinds of new errors to light, such as loops. */
const MAX_ROUNDS = 10;

/** Loads what was drafted, one text a domain, and leaves out whatever the language refuses. */
export function dropFaults(
  drafts: readonly DomainDraft[],
  version: 'v4' | 'v3',
): { readonly domains: readonly DomainDraft[]; readonly comments: readonly string[] } {
  const comments: string[] = [];
  let domains = drafts;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const texts = domains.map(textOf);
    const errors = errorsIn(texts, version);
    if (errors.size === 0) return { domains, comments };
    domains = domains.flatMap((draft, index) => {
      const found = errors.get(draft.domain) ?? [];
      const text = texts[index];
      return found.length === 0 || text === undefined
        ? [draft]
        : dropFrom(draft, String(text.text), found, comments);
    });
  }
  throw new Error('the exported manifest cannot be made to load');
}

function textOf({ domain, document }: DomainDraft): ManifestText {
  const manifest: ManifestDocument = { version: 1, domains: new Map([[domain, document]]) };
  return { file: domain, text: writeManifest(manifest) };
}

function errorsIn(
  texts: readonly ManifestText[],
  version: 'v4' | 'v3',
): ReadonlyMap<string, readonly Problem[]> {
  const { problems } = loadManifest(texts, {
    references: 'optional',
    resolve: () => null,
    apiVersion: version,
  });
  const errors = new Map<string, Problem[]>();
  for (const problem of problems) {
    if (problem.severity !== 'error') continue;
    const file = problem.source?.file ?? '';
    const known = errors.get(file) ?? [];
    known.push(problem);
    errors.set(file, known);
  }
  return errors;
}

function dropFrom(
  draft: DomainDraft,
  text: string,
  problems: readonly Problem[],
  lost: string[],
): readonly DomainDraft[] {
  const source = createSourceText(draft.domain, text);
  const [root] = parseDocuments(source, createProblemLog()).nodes;
  const [domain] = entriesOf(valueOf(root, 'domains'));
  const locate = domain === undefined ? () => null : createLocator(domain.value, source);
  const dropped = new Map<string, { item: Item; reason: string }>();
  for (const { source: place, message } of problems) {
    const item = place === null ? null : locate(place);
    if (item === null) {
      lost.push(`${draft.domain} is left out: ${message}`);
      return [];
    }
    const key = JSON.stringify(item);
    if (!dropped.has(key)) dropped.set(key, { item, reason: message });
  }
  return [without(draft, [...dropped.values()])];
}

function without(draft: DomainDraft, dropped: readonly { item: Item; reason: string }[]): DomainDraft {
  const { aliases, rules, credentials, ...settings } = draft.document;
  const names = (kind: Item['kind']): ReadonlySet<string | number> =>
    new Set(
      dropped.flatMap(({ item }) => (item.kind === kind ? ['name' in item ? item.name : item.index] : [])),
    );
  const comments = dropped.map(({ item, reason }) => `${show(item, draft)} is not managed: ${reason}`);
  return {
    domain: draft.domain,
    comments: [...draft.comments, ...comments],
    document: {
      ...Object.fromEntries(Object.entries(settings).filter(([key]) => !names('setting').has(key))),
      ...(aliases === undefined ? {} : { aliases: withoutNames(aliases, names('alias')) }),
      ...(rules === undefined ? {} : { rules: rules.filter((_, index) => !names('rule').has(index)) }),
      ...(credentials === undefined ? {} : { credentials: withoutNames(credentials, names('credential')) }),
    },
  };
}

function withoutNames<T>(
  section: ReadonlyMap<string, T>,
  names: ReadonlySet<string | number>,
): ReadonlyMap<string, T> {
  return new Map([...section].filter(([name]) => !names.has(name)));
}

function show(item: Item, { document }: DomainDraft): string {
  switch (item.kind) {
    case 'setting':
      return `\`${item.name}\``;
    case 'rule':
      return `rule ${document.rules?.[item.index]?.id ?? ''}`;
    case 'alias':
    case 'credential':
      return `${item.kind} ${quote(item.name)}`;
  }
}
