import { isCollection, isMap, isScalar, visit, type YAMLMap } from 'yaml';
import type { DomainDocument, ManifestDocument } from '../../model/manifest/manifest-document.ts';
import { KINDS, SECTION_KINDS } from '../../kinds/registry.ts';
import { escapeInvisible } from '../../model/names.ts';
import { createYaml, yamlText } from './yaml-text.ts';

/** Writes a document as YAML that `loadManifest` reads back: names quoted if YAML needs it, one entry per line. */
export function writeManifest(document: ManifestDocument): string {
  const yaml = createYaml(plainDocument(document));
  yaml.commentBefore = asComment(document.comments ?? []);
  flattenValues(yaml.get('destinations'));
  const domains = yaml.get('domains');
  if (isMap(domains)) layOutDomains(domains, document);
  return yamlText(yaml);
}

function plainDocument(document: ManifestDocument): ReadonlyMap<string, unknown> {
  const { version, api, destinations, domains } = document;
  const plain = new Map<string, unknown>([['version', version]]);
  if (api !== undefined) plain.set('api', api);
  if (destinations !== undefined) plain.set('destinations', destinations);
  plain.set('domains', new Map([...domains].map(([name, domain]) => [name, plainDomain(domain)])));
  return plain;
}

function plainDomain(domain: DomainDocument): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(domain).filter(([key]) => key !== 'comments'));
}

function layOutDomains(domains: YAMLMap, document: ManifestDocument): void {
  for (const { key, value } of domains.items) {
    if (!isScalar(key) || !isMap(value)) continue;
    const comments = document.domains.get(String(key.value))?.comments ?? [];
    if (comments.length > 0) key.commentBefore = asComment(comments);
    for (const kind of SECTION_KINDS) {
      const { section, entries } = KINDS[kind];
      if (entries === 'map') flattenValues(value.get(section));
      else flattenItems(value.get(section));
    }
  }
}

function flattenValues(section: unknown): void {
  if (!isMap(section)) return;
  for (const { value } of section.items) flatten(value);
}

function flattenItems(section: unknown): void {
  if (!isCollection(section)) return;
  visit(section, {
    Pair(_, { value }) {
      flatten(value);
    },
  });
}

function flatten(value: unknown): void {
  if (isCollection(value)) value.flow = true;
}

function asComment(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.map((line) => ` ${escapeInvisible(line)}`).join('\n');
}
