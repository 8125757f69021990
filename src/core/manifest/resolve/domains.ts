import type { DesiredDomain, PresentDomain } from '../../model/desired.ts';
import { SECTIONS } from '../../kinds/registry.ts';
import { parseDomainName, quote, type DomainName } from '../../model/names.ts';
import type { Source } from '../../model/manifest/problem.ts';
import type { DesiredRule } from '../../kinds/rule/fields.ts';
import type { Manifest } from './assemble.ts';
import { MAX_ENTRIES, type Loading } from './context.ts';
import { readThreshold } from './delivery.ts';
import { readLint } from './lint.ts';
import { createLookAlikes, visibleDomain } from './values/names.ts';
import { booleanOf, textOf, valueOf, type Entry, type MapNode, type TextNode } from '../read/node.ts';
import {
  hasFailed,
  mergeSections,
  readWrittenSections,
  sizeOfSections,
  type WrittenSections,
} from '../sections/sections.ts';
import { readSettings } from './settings.ts';
import { readTemplates, readUse } from './templates.ts';
import { sourceOf } from '../read/text.ts';

/** A domain as it was read; `sound` is true if nothing of it was left out. */
export interface ReadDomain {
  readonly desired: DesiredDomain;
  readonly node: MapNode;
  readonly sound: boolean;
  /** The number of entries that count towards `MAX_ENTRIES`. */
  readonly entries: number;
}

/** Reads all domains, in the order of their ASCII form. */
export function readDomains(
  manifest: Manifest,
  version: 'v4' | 'v3',
  loading: Loading,
): ReadonlyMap<DomainName, ReadDomain> {
  const templates = readTemplates(manifest.templates, loading);
  const read = new Map<DomainName, ReadDomain>();
  const keys = new Map<DomainName, TextNode>();
  const visible = new Map<string, TextNode>();
  const lookAlikes = createLookAlikes(visible, loading.log);
  const most = loading.options.maxEntries ?? MAX_ENTRIES;
  let entries = 0;
  for (const { key, value } of manifest.domains) {
    const domain = readName(key, keys, loading);
    if (domain === null || value.kind !== 'map') continue;
    lookAlikes.check(key, visibleDomain(domain));
    visible.set(visibleDomain(domain), key);
    const one = readDomain({ domain, key, node: value, manifest, templates, version, loading });
    read.set(domain, one);
    entries += one.entries;
    if (entries <= most) continue;
    reportTooMany(key, most, loading);
    return new Map();
  }
  reportSharedIds(read, loading);
  return new Map([...read].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Reading {
  readonly domain: DomainName;
  readonly key: TextNode;
  readonly node: MapNode;
  readonly manifest: Manifest;
  readonly templates: ReadonlyMap<string, WrittenSections>;
  readonly version: 'v4' | 'v3';
  readonly loading: Loading;
}

const PARTS: ReadonlySet<string> = new Set([...SECTIONS, 'expect', 'prune', 'ignore', 'use']);

/** True if a key of a domain is in the place of a domain's name, because the indentation is wrong. */
export function isMisplacedPart(key: string): boolean {
  return PARTS.has(key);
}

function readName(key: TextNode, keys: Map<DomainName, TextNode>, { log }: Loading): DomainName | null {
  const parsed = parseDomainName(key.text);
  if (!parsed.ok) {
    const hint = isMisplacedPart(key.text)
      ? 'indent it: it belongs below the name of a domain'
      : parsed.error.hint;
    log.report(parsed.error.code, key, { ...parsed.error, hint });
    return null;
  }
  const first = keys.get(parsed.value);
  if (first === undefined) {
    keys.set(parsed.value, key);
    return parsed.value;
  }
  log.report('duplicate-domain', key, {
    message: `the domain ${parsed.value} is defined twice`,
    hint: 'keep one of the two; a domain is defined in one place',
    related: first,
  });
  return null;
}

function readDomain(reading: Reading): ReadDomain {
  const { domain, key, node, manifest, version, loading } = reading;
  const source = sourceOf(key);
  if (node.entries.has('state')) return readTombstone(reading, source);
  const errors = loading.log.errorCount();
  const own = readWrittenSections(node, loading);
  const used = readUse(node, manifest.defaults, reading.templates, loading);
  const { templates } = used;
  const sections = mergeSections({ domain, node, own, templates, defaults: manifest.defaults }, loading);
  const desired: PresentDomain = {
    state: 'present',
    domain,
    source,
    settings: readSettings(node, manifest.defaults, version, loading),
    ...sections,
    expect: [],
    verify: readVerify(node, manifest),
    lint: readLint(valueOf(node, 'lint') ?? manifest.defaults.get('lint')?.value, loading.log),
    delivery: readThreshold(valueOf(node, 'delivery') ?? manifest.defaults.get('delivery')?.value),
  };
  const entries = sizeOfSections(sections) + templates.length;
  const failed = used.failed || hasFailed(own) || templates.some(({ sections }) => hasFailed(sections));
  return { desired, node, entries, sound: !failed && loading.log.errorCount() === errors };
}

function reportTooMany(key: TextNode, most: number, { log }: Loading): void {
  log.report('too-many-entries', key, {
    message: `the manifest has more than ${most} entries with expanded templates`,
    hint: 'use the templates in fewer domains, or raise --max-entries (FWDSYNC_MAX_ENTRIES) if there is enough memory',
  });
}

function readVerify(node: MapNode, { defaults }: Manifest): boolean {
  return booleanOf(valueOf(node, 'verify')) ?? booleanOf(defaults.get('verify')?.value) ?? false;
}

function readTombstone({ domain, node, loading }: Reading, source: Source): ReadDomain {
  const other = [...node.entries.values()].find(({ key }) => key.text !== 'state');
  if (other !== undefined && textOf(valueOf(node, 'state')) === 'absent') reportBeside(other, loading);
  return { desired: { state: 'absent', domain, source }, node, sound: true, entries: 0 };
}

/** Reports rules that share an id. The service would see them as one rule, in any domain. */
function reportSharedIds(domains: ReadonlyMap<DomainName, ReadDomain>, { log }: Loading): void {
  const first = new Map<string, DesiredRule>();
  for (const { desired } of domains.values()) {
    if (desired.state === 'absent') continue;
    for (const rule of desired.rules?.entries ?? []) {
      if (rule.id === undefined) continue;
      const other = first.get(rule.id);
      if (other === undefined) first.set(rule.id, rule);
      else {
        log.report('duplicate-id', rule.source, {
          message: `two rules have the id ${rule.id}`,
          hint: 'keep the id in one of them',
          related: other.source,
        });
      }
    }
  }
}

function reportBeside({ key }: Entry, { log }: Loading): void {
  log.report('absent-with-other-keys', key, {
    message: `${quote(key.text)} cannot be combined with \`state: absent\``,
    hint: 'a domain that must not exist has no other keys',
  });
}
