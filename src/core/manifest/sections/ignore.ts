import { matchesGlob } from '../../routing/glob.ts';
import { quote } from '../../model/names.ts';
import type { Section } from '../../model/kinds.ts';
import type { Origin } from '../../model/resources.ts';
import type { Definitions } from '../resolve/assemble.ts';
import type { Loading } from '../resolve/context.ts';
import { booleanOf, textOf, valueOf, type MapNode, type Node } from '../read/node.ts';
import type { ProblemLog } from '../problems.ts';
import { KINDS, kindOf } from '../../kinds/registry.ts';
import { isUuid } from '../../model/item-key.ts';

/** True if a section is pruned: by the domain's own setting, else by that of `defaults`; false by default. */
export function readPrune(section: Section, domain: MapNode, defaults: Definitions): boolean {
  return (
    pruneOf(section, valueOf(domain, 'prune')) ?? pruneOf(section, defaults.get('prune')?.value) ?? false
  );
}

/** Returns the ignore patterns of a section: the domain's own, else those of `defaults`. */
export function readIgnore(
  section: Section,
  domain: MapNode,
  defaults: Definitions,
  { log }: Loading,
): readonly string[] {
  const list = valueOf(valueOf(domain, 'ignore'), section) ?? valueOf(defaults.get('ignore')?.value, section);
  const patterns: string[] = [];
  for (const node of list?.kind === 'list' ? list.items : []) {
    const text = textOf(node);
    if (!text) continue;
    if (KINDS[kindOf(section)].identity === 'name') patterns.push(text);
    else if (isUuid(text)) patterns.push(text.toLowerCase());
    else reportId(node, text, log);
  }
  return patterns;
}

/**
 * Reports declared entries that are also ignored. Ignored items are never touched, so the entry would have no effect.
 * Rules are ignored by id, all others by name.
 */
export function reportIgnored(
  section: Section,
  entries: Iterable<Origin & { readonly name?: string; readonly id?: string }>,
  patterns: readonly string[],
  log: ProblemLog,
): void {
  if (patterns.length === 0) return;
  for (const { name, id, source, via } of entries) {
    const ignored = KINDS[kindOf(section)].identity === 'id' ? id : name;
    const pattern = patterns.find((pattern) => ignored !== undefined && matchesGlob(pattern, ignored));
    if (pattern === undefined) continue;
    log.report('ignored-entry', via ?? source, {
      message: `${quote(name ?? pattern)} is named and also ignored by ${quote(pattern)}`,
      hint: 'delete the entry, or narrow the pattern',
      ...(via === undefined ? {} : { related: source }),
    });
  }
}

function pruneOf(section: Section, node: Node | undefined): boolean | undefined {
  return booleanOf(node) ?? booleanOf(valueOf(node, section));
}

function reportId(node: Node, text: string, log: ProblemLog): void {
  log.report('invalid-id', node, {
    message: `${quote(text)} is not the id of a rule`,
    hint: 'rules are ignored by their UUID, which an export of the account shows',
  });
}
