import { quote } from '../../../model/names.ts';
import type { Definitions, Manifest } from '../../resolve/assemble.ts';
import type { ProblemLog } from '../../problems.ts';
import { itemsOf, textOf, valueOf } from '../../read/node.ts';

/** Reports names of `destinations` that no entry needs; `isUsed` is true for those resolved for an entry. */
export function reportUnusedDestinations(
  destinations: Definitions,
  isUsed: (name: string) => boolean,
  log: ProblemLog,
): void {
  for (const [name, { key }] of destinations) {
    if (isUsed(name)) continue;
    log.report('unused-destination', key, {
      message: `nothing forwards to the destination ${quote(name)}`,
      hint: 'delete it, or use it',
      subject: { entries: [name] },
    });
  }
}

/**
 * Reports templates that no domain uses, not even through `defaults`; `mayUse` is true if an unreadable part may use
 * one.
 */
export function reportUnusedTemplates(
  { templates, defaults, domains }: Manifest,
  mayUse: (name: string) => boolean,
  log: ProblemLog,
): void {
  const lists = [defaults.get('use')?.value, ...domains.map(({ value }) => valueOf(value, 'use'))];
  const used = new Set(lists.flatMap((list) => itemsOf(list).map(textOf)));
  for (const [name, { key }] of templates) {
    if (used.has(name) || mayUse(name)) continue;
    log.report('unused-template', key, {
      message: `no domain uses the template ${quote(name)}`,
      hint: 'delete it, or name it under `use` of a domain',
      subject: { entries: [name] },
    });
  }
}
