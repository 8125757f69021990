import { presentEntries, type PresentDomain } from '../../../../core/model/desired.ts';
import { showDestinations, type Destination, type Disclosure } from '../../../../core/model/destinations.ts';
import { nameKey } from '../../../../core/model/names.ts';
import type { Action, AliasChange, Change, RuleChange } from '../../../../core/model/plan.ts';
import type { ObservedRule, PresentRule } from '../../../../core/kinds/rule/fields.ts';
import type { RuleMatch } from '../../../../core/model/resources.ts';
import type { DomainStatus } from '../../../../core/model/status/daemon.ts';
import { changeDocument } from '../../../../core/plan/document/document.ts';
import { describeMatch, showMatch } from '../../../../core/kinds/rule/diff-words.ts';
import { describeChange } from '../../../../core/plan/render/describe.ts';
import { folded } from '../listed-page.ts';
import { placeText } from './place.ts';

/** An alias or rule as the account has it; plain data, not concealed yet. */
export interface ForwardRow {
  readonly kind: 'alias' | 'rule';
  readonly name: string;
  /** The mail that a rule takes; null for an alias. */
  readonly match: string | null;
  /** Destinations of its mail; null means that the account does not have the entry yet. */
  readonly to: string | null;
  readonly isActive: boolean;
  /** Pending change; null means none. */
  readonly pending: { readonly action: Action; readonly text: string } | null;
  /** Null means that only the account has it. */
  readonly place: string | null;
}

/**
 * Returns the forwards of a domain by its last read: the entries of the manifest with pending changes reversed, and
 * the entries that only the account has. The section that decides comes first.
 */
export function forwardRows(
  domain: PresentDomain,
  status: DomainStatus,
  disclosure: Disclosure,
): readonly ForwardRow[] {
  const aliases = aliasRows(domain, status, disclosure);
  const rules = ruleRows(domain, status, disclosure);
  return status.engine === 'rules' ? [...rules, ...aliases] : [...aliases, ...rules];
}

/** Returns a test for rows that contain a text: in the name, the address, the condition or the destinations. */
export function forwardMatcher(q: string, domain: string): (row: ForwardRow) => boolean {
  const part = folded(q);
  return ({ kind, name, match, to }) => {
    const address = kind === 'alias' ? `${name}@${domain}` : name;
    return [address, match ?? '', to ?? ''].some((text) => folded(text).includes(part));
  };
}

function aliasRows(
  { aliases }: PresentDomain,
  { changes, unnamed }: DomainStatus,
  disclosure: Disclosure,
): readonly ForwardRow[] {
  const planned = changes.filter((change): change is AliasChange => change.kind === 'alias');
  const byName = new Map(planned.map((change) => [nameKey(change.name), change]));
  const rows = presentEntries(aliases).map(({ name, forward, source }): ForwardRow => {
    const change = byName.get(nameKey(name)) ?? null;
    const live = change === null ? forward : (change.observed?.forward ?? null);
    return aliasRow({ name, forward: live, change, place: placeText(source) }, disclosure);
  });
  const doomed = planned
    .filter(({ action }) => action === 'delete')
    .map((change) => {
      const { name, observed, source } = change;
      const forward = observed?.forward ?? [];
      return aliasRow({ name, forward, change, place: placeText(source) }, disclosure);
    });
  const others = unnamed?.aliases.map(({ name, forward }) =>
    aliasRow({ name, forward, change: null, place: null }, disclosure),
  );
  return [...rows, ...doomed, ...(others ?? [])];
}

interface LiveAlias {
  readonly name: string;
  /** Null means that the account does not have it yet. */
  readonly forward: readonly Destination[] | null;
  readonly change: AliasChange | null;
  readonly place: string | null;
}

function aliasRow({ name, forward, change, place }: LiveAlias, disclosure: Disclosure): ForwardRow {
  const to = forward === null ? null : showDestinations(forward, disclosure);
  const pending = pendingText(change, disclosure);
  return { kind: 'alias', name, match: null, to, isActive: true, pending, place };
}

function ruleRows(
  { rules }: PresentDomain,
  { changes, unnamed }: DomainStatus,
  disclosure: Disclosure,
): readonly ForwardRow[] {
  const planned = changes.filter((change): change is RuleChange => change.kind === 'rule');
  const byName = new Map(
    planned.filter(({ action }) => action !== 'delete').map((change) => [change.name, change]),
  );
  const named = presentEntries(rules).map((entry) => namedRule(entry, byName.get(entry.name) ?? null));
  const others = unnamed?.rules.map(unnamedRule) ?? [];
  const found = new Map([
    ...named.map((rule) => [rule.name, rule] as const),
    ...planned.flatMap(doomedRule),
    ...others.map((rule) => [rule.name, rule] as const),
  ]);
  return inOrder(found, unnamed?.ruleOrder ?? null).map((rule) => ruleRow(rule, disclosure));
}

interface LiveRule {
  readonly name: string;
  readonly match: RuleMatch;
  readonly forward: readonly Destination[] | null;
  readonly active: boolean;
  readonly change: RuleChange | null;
  readonly place: string | null;
}

function namedRule(entry: PresentRule, change: RuleChange | null): LiveRule {
  const { name, source } = entry;
  const { match, forward, active } = change?.observed ?? entry;
  const live = change?.action === 'add' ? null : forward;
  return { name, match, forward: live, active, change, place: placeText(source) };
}

function doomedRule(change: RuleChange): readonly (readonly [key: string, rule: LiveRule])[] {
  const { action, name, id, observed, source } = change;
  if (action !== 'delete' || observed === null) return [];
  return [[id ?? name, { ...observed, name, change, place: placeText(source) }]];
}

function unnamedRule({ id, match, forward, active }: ObservedRule): LiveRule {
  return { name: id, match, forward, active, change: null, place: null };
}

function ruleRow(
  { name, match, forward, active, change, place }: LiveRule,
  disclosure: Disclosure,
): ForwardRow {
  return {
    kind: 'rule',
    name,
    match: describeMatch(showMatch(match, disclosure)),
    to: forward === null ? null : showDestinations(forward, disclosure),
    isActive: active,
    pending: pendingText(change, disclosure),
    place,
  };
}

/** Sorts rules in the order in which the service evaluates them. Rules that it does not have yet come last. */
function inOrder(rules: ReadonlyMap<string, LiveRule>, order: readonly string[] | null): readonly LiveRule[] {
  if (order === null) return [...rules.values()];
  const places = new Map(order.map((key, place) => [key, place]));
  const placeOf = (key: string): number => places.get(key) ?? order.length;
  return [...rules].toSorted(([a], [b]) => placeOf(a) - placeOf(b)).map(([, rule]) => rule);
}

function pendingText(change: Change | null, disclosure: Disclosure): ForwardRow['pending'] {
  if (change === null) return null;
  const { action } = change;
  const text = action === 'delete' ? '' : describeChange(changeDocument(change, disclosure)).text;
  return { action, text };
}
