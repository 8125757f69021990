import { accountEntryKey, entryKey } from '../../../core/kinds/item-key.ts';
import { idKey } from '../../../core/model/item-key.ts';
import { presentEntries, type Desired, type PresentDomain } from '../../../core/model/desired.ts';
import { nameKey, type DomainName, type NameKey } from '../../../core/model/names.ts';
import type { Observed, ObservedDomain } from '../../../core/model/observed.ts';
import type { Adoption, Plan } from '../../../core/model/plan.ts';
import { KINDS, SECTION_KINDS, SECTIONS } from '../../../core/kinds/registry.ts';
import type { Section } from '../../../core/model/kinds.ts';
import type { DesiredRule } from '../../../core/kinds/rule/fields.ts';
import {
  NO_PRIOR_DOMAIN,
  type KeptOtherwise,
  type ManifestSize,
  type Prior,
  type PriorDomain,
  type Verified,
} from '../../../core/model/prior.ts';
import type { Policy } from '../../../core/plan/policy.ts';
import type { Memory } from '../../state/store.ts';
import { managedState } from '../../../core/kinds/domain/fields.ts';
import { leftBehind } from '../../../core/plan/left-behind.ts';
import { signature, type ItemState } from '../../../core/kinds/items.ts';

export interface MemoryInput extends Pick<Policy, 'purpose'> {
  readonly desired: Desired;
  /** Digests of the domains that are completely in place. */
  readonly inSyncDigests: ReadonlyMap<DomainName, string>;
  readonly prior: Prior;
  /** Plan made at the start of the run. */
  readonly plan: Pick<Plan, 'guards'>;
  /** Live rules that were recognised by content, the latest last. */
  readonly adoptions: readonly Adoption[];
  /** Account as last read. */
  readonly observed: Observed;
  /** Domains for which nothing is certain. */
  readonly unread: ReadonlySet<DomainName>;
  /**
   * Items that differ from their desired state, or may differ, including those that are no longer sent; see
   * `accountEntryKey`.
   */
  readonly open: ReadonlySet<string>;
  /** Signatures of items that the service accepted in this run and shows differently. */
  readonly keptOtherwise: ReadonlyMap<string, string>;
  /**
   * Fingerprints of the passwords that were sent. null means that a password was sent and no fingerprint could be
   * made.
   */
  readonly passwords: ReadonlyMap<string, string | null>;
  /** Domains that this run added, with what the service gave their `*`. null means nothing, or not read yet. */
  readonly added: ReadonlyMap<DomainName, string | null>;
  /** Size of the whole manifest after all of it was applied. null keeps the remembered size. */
  readonly size: ManifestSize | null;
  /** Domains that the service was asked to verify, and the time of the next request. */
  readonly verified: ReadonlyMap<DomainName, Verified>;
}

/** Returns what a run leaves behind for the next one: what is in place, what was not kept, and the size. */
export function memoryOf(input: MemoryInput): Memory {
  const { desired, observed, prior } = input;
  const shrunken = new Set(
    input.plan.guards.flatMap(({ guard, holds, allowed }) =>
      guard === 'remote-shrink' && !allowed && holds.kind === 'domain-deletes' ? [holds.domain] : [],
    ),
  );
  const domains = new Map<DomainName, PriorDomain | null>();
  for (const entry of desired.domains.values()) {
    if (input.unread.has(entry.domain)) continue;
    const live = observed.domains.get(entry.domain);
    const before = prior.domains.get(entry.domain);
    if (entry.state === 'absent' || live === undefined) {
      if (before !== undefined && live === undefined) domains.set(entry.domain, null);
      continue;
    }
    const counts = shrunken.has(entry.domain) && before !== undefined ? before.live : countLive(live);
    const remembered = input.purpose === 'undo' ? rememberUndone : rememberDomain;
    domains.set(entry.domain, remembered(entry, before, counts, input));
  }
  return { domains, manifest: input.size };
}

function rememberDomain(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  live: PriorDomain['live'],
  input: MemoryInput,
): PriorDomain {
  const inSyncDigest = input.inSyncDigests.get(entry.domain);
  const verified = input.verified.get(entry.domain) ?? before?.verified;
  return {
    live,
    ...rememberItems(entry, before, input),
    ruleIds: rememberRuleIds(entry, before, input),
    passwords: rememberPasswords(entry, before, input),
    ...(inSyncDigest === undefined ? rememberCatchAll(entry, before, input) : { inSyncDigest }),
    ...(verified === undefined ? {} : { verified }),
  };
}

/**
 * Returns what is known of a domain after an undo. Items that the undo restored were not applied from a manifest, and
 * the domain is not as a manifest wants it. What is known of the other items stays valid.
 */
function rememberUndone(
  entry: PresentDomain,
  known: PriorDomain | undefined,
  live: PriorDomain['live'],
  input: MemoryInput,
): PriorDomain {
  const { inSyncDigest: _, ...before } = known ?? NO_PRIOR_DOMAIN;
  const touched = touchedKeys(entry);
  const untouched = <Value>(items: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
    new Map([...items].filter(([key]) => !touched.has(key)));
  return {
    ...before,
    ...rememberCatchAll(entry, before, input),
    live: { ...before.live, ...live },
    applied: untouched(before.applied),
    keptOtherwise: untouched(before.keptOtherwise),
    ruleIds: new Map([...before.ruleIds, ...adoptedIn(entry, input)]),
    passwords: new Map([...before.passwords].filter(([name]) => !touched.has(entryKey('credential', name)))),
  };
}

function touchedKeys(entry: PresentDomain): ReadonlySet<string> {
  const own = Object.keys(entry.settings).length === 0 ? [] : [entryKey('domain', entry.domain)];
  const keys = SECTION_KINDS.flatMap((kind) =>
    [...(entry[KINDS[kind].section]?.entries.values() ?? [])].map(({ name = '' }) => entryKey(kind, name)),
  );
  return new Set([...own, ...keys]);
}

/** Remembers the `*` that the service gave a domain, until a run has left the domain in place. */
function rememberCatchAll(
  { domain }: PresentDomain,
  before: PriorDomain | undefined,
  { added }: Pick<MemoryInput, 'added'>,
): Pick<PriorDomain, 'givenCatchAll'> {
  const given = added.has(domain) ? (added.get(domain) ?? null) : before?.givenCatchAll;
  return typeof given === 'string' ? { givenCatchAll: given } : {};
}

/** Remembers which live rule an entry was recognised as, while the manifest has an entry of that name or id. */
function rememberRuleIds(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  input: MemoryInput,
): PriorDomain['ruleIds'] {
  const names = new Set(entry.rules?.entries.flatMap(knownNames));
  const known = [...(before?.ruleIds ?? [])].filter(([name]) => names.has(name));
  return new Map([...known, ...adoptedIn(entry, input)]);
}

function adoptedIn({ domain }: PresentDomain, { adoptions }: MemoryInput): PriorDomain['ruleIds'] {
  const own = adoptions.filter((adoption) => adoption.domain === domain);
  return new Map(own.map(({ name, id }) => [name, id]));
}

function knownNames({ name, id, derivedIds }: DesiredRule): readonly (string | undefined)[] {
  return [name, ...(id === undefined ? [] : [idKey(id)]), ...derivedIds.map(idKey)];
}

function rememberPasswords(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  { passwords }: MemoryInput,
): PriorDomain['passwords'] {
  const known = new Map<NameKey, string>(before?.passwords);
  for (const credential of entry.credentials?.entries.values() ?? []) {
    const key = nameKey(credential.name);
    const sent = passwords.get(accountEntryKey(entry.domain, 'credential', credential.name));
    if (credential.state === 'absent' || sent === null) known.delete(key);
    else if (sent !== undefined) known.set(key, sent);
  }
  return known;
}

function countLive(domain: ObservedDomain): PriorDomain['live'] {
  const counts: Partial<Record<Section, number>> = {};
  for (const section of SECTIONS) {
    const items = domain[section];
    if (items !== undefined) counts[section] = items.length;
  }
  return counts;
}

/** Remembers which of a domain's items are in place, and which of them the service keeps differently. */
function rememberItems(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  { open, keptOtherwise, desired, observed }: MemoryInput,
): Pick<PriorDomain, 'applied' | 'keptOtherwise'> {
  const applied = new Map<string, string>();
  const kept = new Map<string, KeptOtherwise>();
  for (const { name, wanted } of wantedItems(entry)) {
    const item = accountEntryKey(entry.domain, wanted.kind, name);
    const key = entryKey(wanted.kind, name);
    const text = signature(wanted, desired.references);
    const isOpen = open.has(item);
    if (!isOpen || before?.applied.get(key) === text) applied.set(key, text);
    const shown = keptOtherwise.get(item);
    // Valid until the entry is in place, or changes and gets another signature.
    const known = isOpen ? before?.keptOtherwise.get(key) : undefined;
    if (shown !== undefined) kept.set(key, { sent: text, shown });
    else if (known?.sent === text) kept.set(key, known);
  }
  return {
    applied: new Map([...leftFrom(before, entry, { desired, observed }), ...applied]),
    keptOtherwise: kept,
  };
}

/**
 * Returns applied items that the manifest no longer names. Every plan reports them as unmanaged until they are
 * deleted.
 */
function leftFrom(
  before: PriorDomain | undefined,
  entry: PresentDomain,
  { desired, observed }: Pick<MemoryInput, 'desired' | 'observed'>,
): PriorDomain['applied'] {
  const live = observed.domains.get(entry.domain);
  if (before === undefined || live === undefined) return new Map();
  const left = leftBehind(entry, live, { prior: before, references: desired.references });
  const keys = new Set(left.map(({ key }) => key));
  return new Map([...before.applied].filter(([key]) => keys.has(key)));
}

export interface WantedItem {
  readonly name: string;
  readonly wanted: ItemState;
}

/** Returns everything that a domain should have, by name. */
export function wantedItems(entry: PresentDomain): readonly WantedItem[] {
  const own: WantedItem = { name: entry.domain, wanted: { kind: 'domain', state: managedState(entry) } };
  const items = SECTION_KINDS.flatMap((kind) =>
    presentEntries(entry[KINDS[kind].section]).map((state) => ({
      name: state.name,
      wanted: { kind, state },
    })),
  );
  return [own, ...items];
}
