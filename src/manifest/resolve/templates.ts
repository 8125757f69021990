import { SECTIONS, type Section } from '../../model/kinds.ts';
import { quote } from '../../model/names.ts';
import type { Source } from '../../model/problem.ts';
import { readAliases, type AliasEntries, type ReadEntries } from './aliases.ts';
import type { Definitions } from './assemble.ts';
import type { Loading } from './context.ts';
import { readCredentials, type CredentialEntries } from './credentials.ts';
import { itemsOf, textOf, valueOf, type MapNode, type Node } from '../read/node.ts';
import { readRules, type RuleDraft } from './rules.ts';
import { didYouMean } from '../read/suggest.ts';
import { sourceOf } from '../read/text.ts';

/** The sections of a domain or template, each undefined where it is not stated. */
export interface TemplateSections {
  readonly aliases?: ReadEntries<AliasEntries>;
  readonly rules?: ReadEntries<readonly RuleDraft[]>;
  readonly credentials?: ReadEntries<CredentialEntries>;
}

export interface UsedTemplate {
  readonly name: string;
  readonly sections: TemplateSections;
  /** Where the domain says that it uses it. */
  readonly via: Source;
}

export function readTemplateSections(node: MapNode, loading: Loading): TemplateSections {
  const stated = SECTIONS.flatMap((section) => {
    const written = valueOf(node, section);
    return written === undefined ? [] : [[section, READERS[section](written, loading)] as const];
  });
  return Object.fromEntries(stated) as TemplateSections;
}

const READERS: {
  readonly [S in Section]: (section: Node, loading: Loading) => NonNullable<TemplateSections[S]>;
} = { aliases: readAliases, rules: readRules, credentials: readCredentials };

/** Every template is read once, used or not. */
export function readTemplates(
  templates: Definitions,
  loading: Loading,
): ReadonlyMap<string, TemplateSections> {
  const read = new Map<string, TemplateSections>();
  for (const [name, { value }] of templates) {
    read.set(name, value.kind === 'map' ? readTemplateSections(value, loading) : {});
  }
  return read;
}

/** The templates that a domain uses, in order, its own list or that of `defaults`. */
export function readUse(
  domain: MapNode,
  defaults: Definitions,
  templates: ReadonlyMap<string, TemplateSections>,
  loading: Loading,
): { readonly templates: readonly UsedTemplate[]; readonly failed: boolean } {
  const list = valueOf(domain, 'use') ?? defaults.get('use')?.value;
  const used = new Map<string, UsedTemplate>();
  let failed = false;
  for (const node of list?.kind === 'list' ? itemsOf(list) : []) {
    const name = textOf(node);
    if (name === undefined || used.has(name)) continue;
    const sections = templates.get(name);
    if (sections === undefined) {
      failed = true;
      reportUnknown(node, name, templates, loading);
    } else used.set(name, { name, sections, via: sourceOf(node) });
  }
  return { templates: [...used.values()], failed };
}

function reportUnknown(
  node: Node,
  name: string,
  templates: ReadonlyMap<string, TemplateSections>,
  loading: Loading,
): void {
  if (loading.completeness === 'incomplete') return;
  const otherwise = templates.size === 0 ? 'no templates are defined' : `defined: ${shortList(templates)}`;
  loading.log.report('unknown-template', node, {
    message: `there is no template ${quote(name)}`,
    hint: didYouMean(name, templates.keys(), otherwise),
  });
}

function shortList(names: ReadonlyMap<string, unknown>): string {
  const shown = [...names.keys()].slice(0, 10).join(', ');
  return names.size > 10 ? `${shown}, …` : shown;
}
