import type { PresentDomain } from '../model/desired.ts';
import { nameKey } from '../model/names.ts';
import type { ObservedDomain } from '../model/observed.ts';
import type { Change, Plan } from '../model/plan.ts';
import type { ObservedAlias } from '../kinds/alias/fields.ts';
import { matchRules } from '../kinds/rule/diff-matching.ts';
import type { ObservedRule } from '../kinds/rule/fields.ts';
import type { UnnamedEntries } from '../model/status/daemon.ts';
import type { PlanInput } from './plan.ts';
import { compareRanks } from './sorting.ts';

/** The most unnamed entries of an account that are kept in memory. */
const MOST_ENTRIES = 2_000;

type Input = Pick<PlanInput, 'desired' | 'observed' | 'prior'>;

/** Returns the live aliases and rules that a manifest neither names nor prunes, by domain. */
export function unnamedEntries(
  input: Input,
  { changes }: Pick<Plan, 'changes'>,
): ReadonlyMap<string, UnnamedEntries> {
  const moved = new Set(changes.filter(({ kind }) => kind === 'rule').map(({ domain }) => domain));
  const deletes = Map.groupBy(
    changes.filter(({ action }) => action === 'delete'),
    ({ domain }) => domain,
  );
  const found = new Map<string, UnnamedEntries>();
  let room = MOST_ENTRIES;
  for (const domain of input.desired.domains.values()) {
    if (domain.state === 'absent') continue;
    const { domain: name } = domain;
    const doomed = new Set(deletes.get(name)?.map(keyOf));
    const entries = entriesIn(domain, input, { doomed, isMoved: moved.has(name) });
    if (entries === null) continue;
    const kept = limit(entries, room);
    room -= kept.aliases.length + kept.rules.length;
    found.set(name, kept);
  }
  return found;
}

/** Keeps the entries that fit, and counts the others. */
function limit({ aliases, rules, ...rest }: UnnamedEntries, room: number): UnnamedEntries {
  const kept = { aliases: aliases.slice(0, room), rules: rules.slice(0, Math.max(0, room - aliases.length)) };
  const more = aliases.length + rules.length - kept.aliases.length - kept.rules.length;
  return { ...rest, ...kept, more };
}

function entriesIn(
  domain: PresentDomain,
  input: Input,
  { doomed, isMoved }: { readonly doomed: ReadonlySet<string>; readonly isMoved: boolean },
): UnnamedEntries | null {
  const live = input.observed.domains.get(domain.domain);
  if (live === undefined) return null;
  const isDoomed: IsDoomed = (kind, id) => doomed.has(keyOf({ kind, id }));
  const aliases = unnamedAliases(domain, live, isDoomed);
  const { unnamed: rules, order } = unnamedRules(domain, live, input, isDoomed);
  if (aliases.length === 0 && rules.length === 0 && !isMoved) return null;
  return { aliases, rules, ruleOrder: isMoved || rules.length > 0 ? order : null, more: 0 };
}

type IsDoomed = (kind: Change['kind'], id: string) => boolean;

function keyOf({ kind, id }: Pick<Change, 'kind' | 'id'>): string {
  return `${kind}\n${id}`;
}

function unnamedAliases(
  { aliases }: PresentDomain,
  live: ObservedDomain,
  isDoomed: IsDoomed,
): readonly ObservedAlias[] {
  if (aliases === undefined) return [];
  return [...(live.aliases ?? [])]
    .filter(({ name, id }) => !aliases.entries.has(nameKey(name)) && !isDoomed('alias', id))
    .map(({ id, name, forward }) => ({ id, name, forward }));
}

interface UnnamedRules {
  readonly unnamed: readonly ObservedRule[];
  readonly order: readonly string[];
}

const NO_RULES: UnnamedRules = { unnamed: [], order: [] };

function unnamedRules(
  { domain, rules }: PresentDomain,
  live: ObservedDomain,
  { prior }: Pick<Input, 'prior'>,
  isDoomed: IsDoomed,
): UnnamedRules {
  if (rules === undefined || live.rules === undefined) return NO_RULES;
  const known = prior.domains.get(domain) ?? null;
  const matching = matchRules(rules, live.rules, { domain, prior: known });
  if (!matching.ok) return NO_RULES;
  const names = new Map([...matching.value.matched].map(([entry, rule]) => [rule, entry.name]));
  const ranked = live.rules.toSorted((a, b) => compareRanks(a.rank, b.rank));
  return {
    unnamed: ranked.filter((rule) => !names.has(rule) && !isDoomed('rule', rule.id)),
    order: ranked.map((rule) => names.get(rule) ?? rule.id),
  };
}
