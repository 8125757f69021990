import { quote } from '../../model/names.ts';
import type { Definitions } from './assemble.ts';
import type { Loading } from './context.ts';
import { itemsOf, textOf, valueOf, type MapNode, type Node } from '../read/node.ts';
import { didYouMean } from '../read/suggest.ts';
import { sourceOf } from '../read/text.ts';
import { readWrittenSections, type UsedTemplate, type WrittenSections } from '../sections/sections.ts';

/** Reads every template once, used or not. */
export function readTemplates(
  templates: Definitions,
  loading: Loading,
): ReadonlyMap<string, WrittenSections> {
  const read = new Map<string, WrittenSections>();
  for (const [name, { value }] of templates) {
    read.set(name, value.kind === 'map' ? readWrittenSections(value, loading) : {});
  }
  return read;
}

/** Reads the templates that a domain uses, in order: its own list, else that of `defaults`. */
export function readUse(
  domain: MapNode,
  defaults: Definitions,
  templates: ReadonlyMap<string, WrittenSections>,
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
    } else used.set(name, { sections, via: sourceOf(node) });
  }
  return { templates: [...used.values()], failed };
}

function reportUnknown(
  node: Node,
  name: string,
  templates: ReadonlyMap<string, WrittenSections>,
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
