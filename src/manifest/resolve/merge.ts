import type { Section } from '../../model/kinds.ts';
import type { DesiredRule, Origin } from '../../model/desired.ts';
import { sameDestinations } from '../../model/destinations.ts';
import { quote, type DomainName } from '../../model/names.ts';
import { sameMatch } from '../../model/resources.ts';
import type { ReadEntries } from './aliases.ts';
import type { ProblemLog } from '../problems.ts';
import { bindRule, type RuleDraft } from './rules.ts';
import type { UsedTemplate } from './templates.ts';

/** One used template's part of a section. */
interface Brought<T> {
  readonly from: UsedTemplate;
  readonly section: ReadEntries<T>;
}

/** The parts that the used templates bring to one section. */
export function broughtBy<K extends Section>(
  key: K,
  templates: readonly UsedTemplate[],
): readonly Brought<NonNullable<UsedTemplate['sections'][K]>['entries']>[] {
  const brought: Brought<NonNullable<UsedTemplate['sections'][K]>['entries']>[] = [];
  for (const from of templates) {
    const section = from.sections[key] as
      | ReadEntries<NonNullable<UsedTemplate['sections'][K]>['entries']>
      | undefined;
    if (section !== undefined) brought.push({ from, section });
  }
  return brought;
}

/** Entries by name: those of the templates, replaced by the domain's own. */
export function mergeNamed<Key extends string, T extends Origin & { readonly name: string }>(
  own: ReadonlyMap<Key, T>,
  brought: readonly Brought<ReadonlyMap<Key, T>>[],
  same: (a: T, b: T) => boolean,
  log: ProblemLog,
): ReadonlyMap<Key, T> {
  const merged = new Map<Key, T>();
  for (const { from, section } of brought) {
    for (const [key, entry] of section.entries) {
      const other = merged.get(key);
      if (own.has(key)) continue;
      if (other === undefined) merged.set(key, { ...entry, via: from.via });
      else if (!same(entry, other)) reportConflict(entry.name, other, from, entry, log);
    }
  }
  for (const [key, entry] of own) merged.set(key, entry);
  return merged;
}

/** Rules: those of the templates in the order of `use`, then the domain's own. */
export function mergeRules(
  domain: DomainName,
  own: readonly RuleDraft[],
  brought: readonly Brought<readonly RuleDraft[]>[],
  log: ProblemLog,
): readonly DesiredRule[] {
  const decided = new Set(own.map(keyOf));
  const merged = new Map<string, { draft: RuleDraft; rule: DesiredRule }>();
  for (const { from, section } of brought) {
    for (const draft of section.entries) {
      const key = keyOf(draft);
      if (decided.has(key)) continue;
      const other = merged.get(key);
      if (other === undefined) merged.set(key, { draft, rule: bindRule(draft, domain, from.via) });
      else if (!sameDraft(draft, other.draft)) {
        reportConflict(draft.name ?? draft.id ?? '', other.rule, from, draft, log);
      }
    }
  }
  const ownRules = own.map((draft) => bindRule(draft, domain, undefined));
  return [...[...merged.values()].map(({ rule }) => rule), ...ownRules];
}

function keyOf({ name, id }: RuleDraft): string {
  return name === null ? `id ${id}` : `name ${name.toLowerCase()}`;
}

function sameDraft(a: RuleDraft, b: RuleDraft): boolean {
  if (a.state !== 'present' || b.state !== 'present') return a.state === b.state && a.id === b.id;
  if (a.id !== b.id || a.active !== b.active) return false;
  return sameMatch(a.match, b.match) && sameDestinations(a.forward, b.forward);
}

function reportConflict(
  name: string,
  first: Origin,
  second: UsedTemplate,
  entry: Pick<Origin, 'source'>,
  log: ProblemLog,
): void {
  const { file, line } = first.source;
  log.report('template-conflict', second.via, {
    message: `two used templates differ on ${quote(name)}: ${file}:${line} and ${entry.source.file}:${entry.source.line}`,
    hint: 'define it in the domain itself',
    related: first.source,
  });
}
