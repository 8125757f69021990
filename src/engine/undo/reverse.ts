import type { DesiredDomain } from '../../core/model/desired.ts';
import { normaliseDestination } from '../../core/model/destinations.ts';
import { nameKey, quote, type AliasName, type DomainName } from '../../core/model/names.ts';
import type { Observed } from '../../core/model/observed.ts';
import type { Prior } from '../../core/model/prior.ts';
import type { SkippedItem } from '../../core/model/report.ts';
import { SETTINGS } from '../../core/kinds/domain/fields.ts';
import type { ObservedAlias } from '../../core/kinds/alias/fields.ts';
import { fail } from '../../core/model/result.ts';
import { isLive, liveRows, type LiveRows } from './kept-states.ts';
import type { Print } from '../../core/fields/codec.ts';
import { describeLater, laterChangeOf, type LaterChanges } from './later-changes.ts';
import { NOWHERE, type OldValues } from './old-values.ts';
import { desiredDomain, restore, type Restored } from './restore.ts';
import { itemKey } from '../../core/kinds/item-key.ts';
import type { RunItem } from './run-items.ts';
import { type Fields, hasSecret } from '../../core/fields/fields.ts';
import { signature, type LiveItem } from '../../core/kinds/items.ts';
import { KINDS } from '../../core/kinds/registry.ts';

export interface ReverseInput {
  readonly items: readonly RunItem[];
  readonly observed: Observed;
  readonly later: LaterChanges;
  readonly prior: Prior;
  readonly print: Print;
  readonly oldValues: OldValues;
}

/** The reverse of a run: the desired state, and the items left unchanged with the reason. */
export interface Reversed {
  readonly domains: ReadonlyMap<DomainName, DesiredDomain>;
  readonly leftAlone: readonly SkippedItem[];
  /** Items that will be as they were before the run. */
  readonly undone: readonly RunItem[];
}

/**
 * Brings back only what the run changed and no other change touched since. Items that are already as before need no
 * change.
 */
export function reverse(input: ReverseInput): Reversed {
  const domains = new Map<DomainName, DesiredDomain>();
  const leftAlone: SkippedItem[] = [];
  const undone: RunItem[] = [];
  const written = input.items.filter(({ wrote }) => wrote);
  for (const [domain, items] of Map.groupBy(written, (item) => item.domain)) {
    const part = reverseDomain(domain, items, { ...input, live: liveRows(input.observed, domain) });
    if (part.desired !== null) domains.set(domain, part.desired);
    leftAlone.push(...part.leftAlone);
    undone.push(...part.undone);
  }
  return { domains, leftAlone, undone };
}

interface DomainInput extends ReverseInput {
  readonly live: LiveRows;
}

interface DomainPart {
  /** null means that there is nothing to do. */
  readonly desired: DesiredDomain | null;
  readonly leftAlone: readonly SkippedItem[];
  readonly undone: readonly RunItem[];
}

const NOTHING: DomainPart = { desired: null, leftAlone: [], undone: [] };

function reverseDomain(domain: DomainName, items: readonly RunItem[], input: DomainInput): DomainPart {
  const { live, observed } = input;
  // The planner withholds it, with the reason.
  if (observed.unproven.has(domain)) return { ...NOTHING, desired: desiredDomain(domain, []) };
  const own = items.find(({ kind }) => kind === 'domain');
  if (own?.original === null) return reverseAddition(own, items, input);
  const isDeleted = own?.left.includes(null) === true;
  if (live.domain === undefined) {
    if (isDeleted) return reverseDelete(domain, items, input);
    const held = items.filter(({ original }) => original !== null);
    return { ...NOTHING, leftAlone: held.map((item) => leave(item, `${domain} is gone by now`)) };
  }
  if (!isDeleted) return reverseItems(domain, items, input);
  // If it is not known whether the domain was deleted, treat it as not deleted.
  if (own.left.length > 1) return NOTHING;
  const reason = `${domain} was added again since`;
  return { ...NOTHING, leftAlone: items.map((item) => leave(item, reason)) };
}

/** Deletes a domain that the run added, unless it holds more than the run and the service put there. */
function reverseAddition(own: RunItem, items: readonly RunItem[], input: DomainInput): DomainPart {
  const { domain } = own;
  if (input.live.domain === undefined) return NOTHING;
  const change = laterChangeOf(own, input.later);
  const reason = change === null ? whyKept(own, items, input) : describeLater(change);
  if (reason === null)
    return { desired: { state: 'absent', domain, source: NOWHERE }, leftAlone: [], undone: items };
  const others = reverseItems(
    domain,
    items.filter((item) => item !== own),
    input,
  );
  return { ...others, leftAlone: [leave(own, reason), ...others.leftAlone] };
}

/** Returns what in a domain the run did not make, or what changed since. null means nothing. */
function whyKept(own: RunItem, items: readonly RunItem[], input: DomainInput): string | null {
  const { live, print, later } = input;
  const setting = settingChanged(own, input);
  if (setting !== null) return `its ${setting} was changed outside fwdsync since`;
  const known = new Map(items.map((item) => [itemKey(item), item]));
  const foreign = live.items.values().find((row) => {
    const item = known.get(itemKey(row));
    if (item === undefined) return !isServiceOwn(row, input);
    return (
      laterChangeOf(item, later) !== null || !item.left.some((state) => isLive(item, state, live, print))
    );
  });
  return foreign === undefined
    ? null
    : `it has an item that the run did not make: ${foreign.kind} ${quote(foreign.name)}`;
}

/** Returns the first setting of a domain that neither the run nor the service gave it; null if there is none. */
function settingChanged(own: RunItem, { live, print, observed: { account } }: DomainInput): string | null {
  const byService = new Set(['', normaliseDestination(account.email)]);
  const settings: Fields = { ...live.domain };
  const isOwn = (name: string): boolean => {
    if (own.fields.includes(name))
      return own.left.some((state) => isLive({ ...own, fields: [name] }, state, live, print));
    const value = settings[name] ?? '';
    return typeof value === 'string' ? byService.has(normaliseDestination(value)) : value === false;
  };
  const changed = Object.keys(SETTINGS).find((name) => !isOwn(name));
  if (changed !== undefined) return changed;
  return byService.has(normaliseDestination(live.domain?.rulesFallbackEmail ?? ''))
    ? null
    : 'rules_fallback_email';
}

/** True for a `*` that the service made with the domain and that is unchanged: it forwards to the account. */
function isServiceOwn({ kind, domain, name, state }: LiveItem, { prior, observed }: DomainInput): boolean {
  if (kind !== 'alias' || name !== '*') return false;
  const given = prior.domains.get(domain)?.givenCatchAll;
  return given === undefined
    ? isToAccount(state as ObservedAlias, observed)
    : given === signature({ kind, state }, NO_REFERENCES);
}

const NO_REFERENCES = new Map<string, never>();

function isToAccount({ forward }: ObservedAlias, { account }: Observed): boolean {
  return forward.length === 1 && forward[0] === normaliseDestination(account.email);
}

const CATCH_ALL = '*' as AliasName;

/**
 * Brings a domain back with everything that was deleted with it, and without what the service adds to a new domain.
 */
function reverseDelete(domain: DomainName, items: readonly RunItem[], input: DomainInput): DomainPart {
  const part = reverseItems(domain, items, input);
  const { desired, undone } = part;
  const own = items.find(({ kind }) => kind === 'domain');
  if (desired?.state !== 'present' || own === undefined || !undone.includes(own)) {
    const reason =
      part.leftAlone.find(({ kind }) => kind === 'domain')?.reason ?? 'its domain is not restored';
    return { ...NOTHING, leftAlone: items.map((item) => leave(item, reason)) };
  }
  const entries = new Map(desired.aliases?.entries);
  const catchAll = nameKey('*');
  if (!entries.has(catchAll)) entries.set(catchAll, { state: 'absent', name: CATCH_ALL, source: NOWHERE });
  return { ...part, desired: { ...desired, aliases: { prune: false, ignore: [], entries } } };
}

/** Reverses each item by itself. */
function reverseItems(domain: DomainName, items: readonly RunItem[], input: DomainInput): DomainPart {
  const restored: Restored[] = [];
  const leftAlone: SkippedItem[] = [];
  const undone: RunItem[] = [];
  for (const item of items) {
    if (isAsBefore(item, input)) continue;
    const reason = whyLeft(item, input);
    const old = reason === null ? restore(item, input.oldValues.reveal) : fail(reason);
    if (!old.ok) leftAlone.push(leave(item, old.error));
    else {
      restored.push(old.value);
      undone.push(item);
    }
  }
  return { desired: restored.length === 0 ? null : desiredDomain(domain, restored), leftAlone, undone };
}

/**
 * True if an item is as it was before the run. Never true for a password that was written, because a password cannot
 * be read.
 */
function isAsBefore(item: RunItem, { live, print }: DomainInput): boolean {
  const wrotePassword =
    hasSecret(KINDS[item.kind].fields) && item.original !== null && !item.left.includes(null);
  return !wrotePassword && isLive(item, item.original, live, print);
}

/**
 * Returns why an item is left unchanged although it differs from before the run. null means that no other change
 * touched it since.
 */
function whyLeft(item: RunItem, { live, later, print }: DomainInput): string | null {
  const change = laterChangeOf(item, later);
  const isOurs = item.left.some((state) => isLive(item, state, live, print));
  return isOurs && change === null ? null : describeLater(change);
}

function leave({ kind, domain, name, original, left, source }: RunItem, reason: string): SkippedItem {
  const wasGone = left.every((state) => state === null);
  const action = original === null ? 'delete' : wasGone ? 'add' : 'update';
  return { action, kind, domain, name, source, reason };
}
