import { normaliseDestination, type Destination, type Shown } from '../../core/model/destinations.ts';
import {
  type HistoryEntryAbout,
  type HistoryItem,
  type KeptText,
  keptText,
} from '../../core/model/history/entries.ts';
import { looksLikeRegex, nameKey, type DomainName } from '../../core/model/names.ts';
import type { PresentDomain } from '../../core/model/desired.ts';
import { compilePattern } from '../../core/routing/regex.ts';
import { joinItems } from '../../engine/state/history/recorded.ts';
import type { HistoryStore } from '../../engine/state/store.ts';
import { placeOfAliases, withoutLabel, type FindName, type KnownName } from './known-names.ts';
import type { RoutingState, StatedAlias, StatedRule } from './routing-state.ts';
import { withText, textOfMatch } from '../../core/fields/condition.ts';

/** An alias or rule that was added, changed or deleted. */
export interface PastChange {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The run that made the change. null means that it was made outside of fwdsync. */
  readonly run: string | null;
  readonly name: string;
  /** The live id; null means unknown. */
  readonly id: string | null;
  readonly item: AliasItem | RuleItem;
}

type AliasItem = Extract<HistoryItem, { readonly kind: 'alias' }>;
type RuleItem = Extract<HistoryItem, { readonly kind: 'rule' }>;

export interface PastQuery {
  /** Earliest time in epoch milliseconds. Without it, all kept changes are read. */
  readonly since?: number;
  readonly domain?: DomainName;
  /** See `HistoryQuery`. */
  readonly stopsEarly?: true;
}

export type PastByDomain = ReadonlyMap<DomainName, readonly PastChange[]>;

/**
 * Reads changes made by runs and outside fwdsync, the newest first. Changes that a run did not make, or whose outcome is
 * unknown, are left out.
 */
export async function readPast(history: Pick<HistoryStore, 'read'>, query: PastQuery): Promise<PastByDomain> {
  const changes: PastChange[] = [];
  for await (const change of eachChange(history, query)) changes.push(change);
  return byDomain(withOneName(changes));
}

/** Gives all changes of a rule the same name. A pruned rule is recorded by its id, although it had a name before. */
function withOneName(changes: readonly PastChange[]): PastChange[] {
  const keyOf = ({ item: { kind, domain }, id }: PastChange): string => `${kind} ${domain} ${id}`;
  const named = changes.filter(
    ({ item: { kind }, id, name }) => kind === 'rule' && id !== null && id !== name,
  );
  const names = new Map(named.map((change) => [keyOf(change), change.name]));
  return changes.map((change) => ({ ...change, name: names.get(keyOf(change)) ?? change.name }));
}

/** Maximum number of changes to keep of a history, which may have a million lines. */
const MOST_LOST = 100_000;
const MOST_ADDED = 10_000;

/** Reads only aliases that were deleted, and those that the same run added in the same domain. */
export async function readLost(history: Pick<HistoryStore, 'read'>): Promise<PastByDomain> {
  const lost: PastChange[] = [];
  let ofRun: { readonly run: string | null; readonly gone: PastChange[]; readonly added: PastChange[] };
  const start = (run: string | null): typeof ofRun => ({ run, gone: [], added: [] });
  const keep = ({ gone, added }: typeof ofRun): void => {
    const domains = new Set(gone.map(({ item }) => item.domain));
    lost.push(...gone, ...added.filter(({ item }) => domains.has(item.domain)));
  };
  ofRun = start(null);
  for await (const change of eachChange(history, {})) {
    if (change.item.kind !== 'alias') continue;
    if (change.run !== ofRun.run) {
      keep(ofRun);
      ofRun = start(change.run);
    }
    if (change.item.to === null) ofRun.gone.push(change);
    else if (change.item.from === null && ofRun.added.length < MOST_ADDED) ofRun.added.push(change);
    if (lost.length > MOST_LOST) break;
  }
  keep(ofRun);
  return byDomain(lost);
}

function byDomain(changes: PastChange[]): PastByDomain {
  return Map.groupBy(
    changes.sort((a, b) => b.at - a.at),
    ({ item }) => item.domain,
  );
}

async function* eachChange(
  { read }: Pick<HistoryStore, 'read'>,
  { since, ...rest }: PastQuery,
): AsyncGenerator<PastChange> {
  const query = { since: since === undefined ? undefined : new Date(since).toISOString(), ...rest };
  const joined = joinItems();
  for await (const line of read({ about: 'item', ...query })) {
    const { entry, result } = joined(line) ?? {};
    if (entry !== undefined && result?.outcome === 'done')
      yield* changeOf(entry, { ...entry, id: entry.id ?? result.id });
  }
  for await (const entry of read({ about: 'drift', ...query }))
    if (entry.entry === 'drift') yield* changeOf(entry, { ...entry, run: null, at: entry.seenAt });
}

function* changeOf(
  item: Extract<HistoryEntryAbout<'item' | 'drift'>, HistoryItem>,
  { at, run, id }: Pick<PastChange, 'run' | 'id'> & { readonly at: string },
): Generator<PastChange> {
  if (item.kind === 'alias' || item.kind === 'rule')
    yield { at: Date.parse(at), run, name: item.name, id, item };
}

/** Returns the values of a text in the history. A reference has the values that are behind it today. */
export type ValuesOf = (text: KeptText) => readonly Destination[];

export function createValuesOf(references: ReadonlyMap<string, Shown>): ValuesOf {
  const values = Map.groupBy(references.keys(), (value) => references.get(value)?.shown ?? '');
  return (text) => {
    if (typeof text === 'string') return [normaliseDestination(text)];
    return (values.get(text.shown) ?? []).map(normaliseDestination);
  };
}

/**
 * Returns the routing before these changes, which are sorted newest first: the routing wanted now, with the changes
 * reversed.
 */
export function stateBefore(
  wanted: RoutingState,
  changes: readonly PastChange[],
  valuesOf: ValuesOf,
): RoutingState {
  if (changes.length === 0) return wanted;
  const aliases = new Map(wanted.aliases.map((alias) => [nameKey(alias.name), alias]));
  const rules = new Map(wanted.rules.map((rule) => [rule.name, rule]));
  for (const { name, item } of changes) {
    if (item.kind === 'alias') restoreAlias(aliases, name, item, valuesOf);
    else restoreRule(rules, name, item, valuesOf);
  }
  return { ...wanted, aliases: [...aliases.values()], rules: [...rules.values()] };
}

function restoreAlias(
  aliases: Map<string, StatedAlias>,
  name: string,
  { from }: AliasItem,
  valuesOf: ValuesOf,
): void {
  const key = nameKey(name);
  const source = aliases.get(key)?.source ?? null;
  if (from === null) aliases.delete(key);
  else aliases.set(key, { name, forward: from.forward.flatMap(valuesOf), source });
}

/** Restores a rule. Its place in the order is unknown. */
function restoreRule(
  rules: Map<string, StatedRule>,
  name: string,
  { from }: RuleItem,
  valuesOf: ValuesOf,
): void {
  const known = rules.get(name);
  if (from === null) {
    rules.delete(name);
    return;
  }
  const { active, rank } = from;
  const [match, forward] = [
    withText(from.match, keptText(textOfMatch(from.match))),
    from.forward.flatMap(valuesOf),
  ];
  rules.set(name, { name, match, forward, active, source: known?.source ?? null, lostPlace: rank });
}

/**
 * Returns names that an alias once took, each with the manifest line responsible: the line of the alias that the same change
 * put in its place, or else the section that would have the name. A catch-all took every name, so it adds none.
 */
export function namesOfPast(changes: readonly PastChange[], wanted: PresentDomain): FindName {
  const gone = changes.filter(({ item, name }) => item.kind === 'alias' && item.to === null && name !== '*');
  const names = new Map(gone.toReversed().map((change) => [nameKey(change.name), change]));
  const patterns = gone.flatMap((change) => {
    const compiled = looksLikeRegex(change.name) ? compilePattern(change.name, { letterCase: 'any' }) : null;
    return compiled?.ok === true ? [{ change, matches: compiled.value.matchesAll }] : [];
  });
  const found = (name: string, change: PastChange): KnownName => {
    return { name, source: narrowedBy(change, changes, wanted) ?? placeOfAliases(wanted) };
  };
  return (localPart) => {
    const named = names.get(nameKey(localPart)) ?? names.get(nameKey(withoutLabel(localPart)));
    if (named !== undefined) return found(named.name, named);
    const pattern = patterns.find(({ matches }) => matches(localPart));
    return pattern === undefined ? null : found(localPart.toLowerCase(), pattern.change);
  };
}

function narrowedBy(
  { run, item }: PastChange,
  changes: readonly PastChange[],
  { aliases }: PresentDomain,
): KnownName['source'] | null {
  if (run === null || item.from === null) return null;
  const before = new Set(item.from.forward.map(keyOfText));
  const isInPlace = ({ run: other, item: { kind, from, to } }: PastChange): boolean =>
    other === run && kind === 'alias' && from === null && hasOneOf(before, to?.forward ?? []);
  for (const { name } of changes.filter(isInPlace)) {
    const entry = aliases?.entries.get(nameKey(name));
    if (entry !== undefined) return entry.source;
  }
  return null;
}

function hasOneOf(wanted: ReadonlySet<string>, forward: readonly KeptText[]): boolean {
  return forward.some((text) => wanted.has(keyOfText(text)));
}

function keyOfText(text: KeptText): string {
  return keptText(text);
}
