import type { PresentDomain } from '../../core/model/desired.ts';
import type { Destination } from '../../core/model/destinations.ts';
import type { ConcealedText, KeptText } from '../../core/model/history/entries.ts';
import { nameKey, parseAliasName, parseCredentialName, type DomainName } from '../../core/model/names.ts';
import {
  SETTINGS,
  type DesiredAlias,
  type DesiredCredential,
  type DesiredRule,
} from '../../core/model/resources.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { compareRanks } from '../../core/plan/sorting.ts';
import { matchOf, textOfMatch } from './kept-states.ts';
import { NOWHERE, type OldValues } from './old-values.ts';
import type { RunItem, RunItemOf } from './run-items.ts';

/** An item as it was before a run, as a manifest would want it. */
export type Restored =
  | { readonly kind: 'domain'; readonly settings: PresentDomain['settings'] }
  | { readonly kind: 'alias'; readonly entry: DesiredAlias }
  | { readonly kind: 'rule'; readonly entry: DesiredRule }
  | { readonly kind: 'credential'; readonly entry: DesiredCredential };

type Reveal = OldValues['reveal'];

/** The item as it was, or why it cannot be brought back. */
export function restore(item: RunItem, reveal: Reveal): Result<Restored, string> {
  switch (item.kind) {
    case 'domain':
      return restoreSettings(item, reveal);
    case 'alias':
      return restoreAlias(item, reveal);
    case 'rule':
      return restoreRule(item, reveal);
    case 'credential':
      return restoreCredential(item);
  }
}

function restoreSettings(
  { original, fields }: RunItemOf<'domain'>,
  reveal: Reveal,
): Result<Restored, string> {
  const settings: { -readonly [K in keyof PresentDomain['settings']]: PresentDomain['settings'][K] } = {};
  for (const field of SETTINGS.filter((name) => fields.includes(name))) {
    const kept = original?.[field] ?? null;
    const value = kept === null ? succeed(null) : reveal(kept);
    if (!value.ok) return notKept(value.error);
    settings[field] = { value: value.value, source: NOWHERE };
  }
  return succeed({ kind: 'domain', settings });
}

function restoreAlias({ name, original }: RunItemOf<'alias'>, reveal: Reveal): Result<Restored, string> {
  const parsed = parseAliasName(name);
  if (!parsed.ok) return fail(`no alias can be given this name: ${parsed.error.message}`);
  const place = { name: parsed.value, source: NOWHERE };
  if (original === null) return succeed({ kind: 'alias', entry: { ...place, state: 'absent' } });
  const forward = revealForward(original.forward, reveal);
  return forward.ok
    ? succeed({ kind: 'alias', entry: { ...place, state: 'present', forward: forward.value } })
    : forward;
}

function restoreRule({ name, id, original }: RunItemOf<'rule'>, reveal: Reveal): Result<Restored, string> {
  if (id === null) return fail('its id is not known');
  const place = { name, id, derivedIds: [], source: NOWHERE };
  if (original === null) return succeed({ kind: 'rule', entry: { ...place, state: 'absent' } });
  const text = reveal(textOfMatch(original.match));
  if (!text.ok) return notKept(text.error);
  const forward = revealForward(original.forward, reveal);
  if (!forward.ok) return forward;
  const { active, rank } = original;
  return succeed({
    kind: 'rule',
    entry: {
      ...place,
      state: 'present',
      idIsWritten: true,
      match: matchOf(original.match, text.value),
      forward: forward.value,
      active,
      rank,
    },
  });
}

function restoreCredential({ name, original }: RunItemOf<'credential'>): Result<Restored, string> {
  const parsed = parseCredentialName(name);
  if (original !== null || !parsed.ok) return fail('its old password is not kept');
  return succeed({ kind: 'credential', entry: { name: parsed.value, state: 'absent', source: NOWHERE } });
}

function revealForward(forward: readonly KeptText[], reveal: Reveal): Result<readonly Destination[], string> {
  const destinations: Destination[] = [];
  for (const text of forward) {
    const value = reveal(text);
    if (!value.ok) return notKept(value.error);
    destinations.push(value.value as Destination);
  }
  return succeed(destinations);
}

function notKept({ shown }: ConcealedText): { readonly ok: false; readonly error: string } {
  return fail(`the old value of ${shown} is not kept`);
}

/** What is wanted of a domain so that these items are as they were, and everything else stays as it is. */
export function desiredDomain(domain: DomainName, restored: readonly Restored[]): PresentDomain {
  const entries = <K extends Restored['kind']>(kind: K) =>
    restored.filter((one): one is Extract<Restored, { readonly kind: K }> => one.kind === kind);
  const aliases = entries('alias').map(({ entry }) => [nameKey(entry.name), entry] as const);
  const rules = entries('rule').map(({ entry }) => entry);
  const credentials = entries('credential').map(({ entry }) => [nameKey(entry.name), entry] as const);
  return {
    state: 'present',
    domain,
    source: NOWHERE,
    settings: entries('domain')[0]?.settings ?? {},
    ...(aliases.length === 0 ? {} : { aliases: { ...UNPRUNED, entries: new Map(aliases) } }),
    ...(rules.length === 0 ? {} : { rules: { ...UNPRUNED, entries: rules.toSorted(byRank) } }),
    ...(credentials.length === 0 ? {} : { credentials: { ...UNPRUNED, entries: new Map(credentials) } }),
    expect: [],
    verify: false,
    lint: [],
    delivery: null,
  };
}

const UNPRUNED = { prune: false, ignore: [] } as const;

/** The list of rules is the order of evaluation. */
function byRank(a: DesiredRule, b: DesiredRule): number {
  return compareRanks(rankOf(a), rankOf(b));
}

function rankOf(rule: DesiredRule): number {
  return (rule.state === 'present' ? rule.rank : undefined) ?? Number.NaN;
}
