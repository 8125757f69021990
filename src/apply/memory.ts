import type { Desired, PresentDomain } from '../model/desired.ts';
import { nameKey, type DomainName, type NameKey } from '../model/names.ts';
import type { Observed, ObservedDomain } from '../model/observed.ts';
import type { Plan } from '../model/plan.ts';
import type { Prior, PriorDomain, Verified } from '../model/prior.ts';
import type { Kind, Section } from '../model/resources.ts';
import { managedState } from '../plan/settings.ts';
import { itemKey, signature, type Wanted } from '../plan/signature.ts';
import type { ManifestSize } from '../plan/size.ts';
import type { Memory } from './state-store.ts';

export interface MemoryInput {
  readonly desired: Desired;
  readonly prior: Prior;
  /** The plan at the start: its guards and adoptions. */
  readonly plan: Pick<Plan, 'guards' | 'adoptions'>;
  /** The latest reading. */
  readonly observed: Observed;
  /** Items that are not as they are desired, or of which that is not known, those that are sent no more included; see `itemOfName`. */
  readonly open: ReadonlySet<string>;
  /** Items that the service accepted in this run and did not keep. */
  readonly notKept: ReadonlySet<string>;
  /** Fingerprints of the passwords that were sent; null: sent, and no fingerprint could be made. */
  readonly passwords: ReadonlyMap<string, string | null>;
  /** Domains that this run added, and when. */
  readonly added: ReadonlyMap<DomainName, number>;
  /** Size of the whole manifest, once all of it was applied; null: as remembered before. */
  readonly size: ManifestSize | null;
  /** Domains that the service was asked to verify, and when it is asked again. */
  readonly verified: ReadonlyMap<DomainName, Verified>;
}

/** An item of a domain by kind and name, as memories and sets of items name it. */
export function itemOfName(domain: DomainName, kind: Kind, name: string): string {
  return `${domain}\n${itemKey(kind, name)}`;
}

/** What a run leaves behind for the next one: what is in place, what was not kept, how much there is. */
export function memoryOf(input: MemoryInput): Memory {
  const { desired, observed, prior } = input;
  const shrunken = new Set(
    input.plan.guards.flatMap(({ guard, holds, allowed }) =>
      guard === 'remote-shrink' && !allowed && holds.kind === 'domain-deletes' ? [holds.domain] : [],
    ),
  );
  const domains = new Map<DomainName, PriorDomain | null>();
  for (const entry of desired.domains.values()) {
    if (observed.unproven.has(entry.domain)) continue;
    const live = observed.domains.get(entry.domain);
    const before = prior.domains.get(entry.domain);
    if (entry.state === 'absent' || live === undefined) {
      if (before !== undefined && live === undefined) domains.set(entry.domain, null);
      continue;
    }
    const counts = shrunken.has(entry.domain) && before !== undefined ? before.live : countLive(live);
    domains.set(entry.domain, rememberDomain(entry, before, counts, input));
  }
  const manifest = input.size === null ? null : { files: desired.files, ...input.size };
  return { domains, manifest };
}

function rememberDomain(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  live: PriorDomain['live'],
  input: MemoryInput,
): PriorDomain {
  const applied = new Map<string, string>();
  const notKept = new Map<string, string>();
  for (const { name, wanted } of wantedItems(entry)) {
    const item = itemOfName(entry.domain, wanted.kind, name);
    const key = itemKey(wanted.kind, name);
    const text = signature(wanted, input.desired.references);
    const open = input.open.has(item);
    if (!open || before?.applied.get(key) === text) applied.set(key, text);
    // Until the entry changes, for its signature is another one then, or is in place all the same.
    const still = open && before?.notKept.get(key) === text;
    if (still || input.notKept.has(item)) notKept.set(key, text);
  }
  const verified = input.verified.get(entry.domain) ?? before?.verified;
  return {
    live,
    applied,
    notKept,
    ruleIds: rememberRuleIds(entry, before, input),
    passwords: rememberPasswords(entry, before, input),
    addedAt: input.added.get(entry.domain) ?? before?.addedAt ?? null,
    ...(verified === undefined ? {} : { verified }),
  };
}

interface WantedItem {
  readonly name: string;
  readonly wanted: Wanted;
}

function* wantedItems(entry: PresentDomain): Generator<WantedItem> {
  yield { name: entry.domain, wanted: { kind: 'domain', state: managedState(entry) } };
  for (const alias of entry.aliases?.entries.values() ?? []) {
    if (alias.state === 'present') yield { name: alias.name, wanted: { kind: 'alias', state: alias } };
  }
  for (const rule of entry.rules?.entries ?? []) {
    if (rule.state === 'present') yield { name: rule.name, wanted: { kind: 'rule', state: rule } };
  }
  for (const credential of entry.credentials?.entries.values() ?? []) {
    if (credential.state === 'present') yield { name: credential.name, wanted: { kind: 'credential' } };
  }
}

/** Which live rule an entry was recognised as, for as long as the manifest has an entry of that name. */
function rememberRuleIds(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  { plan }: MemoryInput,
): PriorDomain['ruleIds'] {
  const names = new Set(entry.rules?.entries.map(({ name }) => name));
  const known = [...(before?.ruleIds ?? [])].filter(([name]) => names.has(name));
  const adopted = plan.adoptions.filter(({ domain }) => domain === entry.domain);
  return new Map([...known, ...adopted.map(({ name, id }) => [name, id] as const)]);
}

function rememberPasswords(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  { passwords }: MemoryInput,
): PriorDomain['passwords'] {
  const known = new Map<NameKey, string>(before?.passwords);
  for (const credential of entry.credentials?.entries.values() ?? []) {
    const key = nameKey(credential.name);
    const sent = passwords.get(itemOfName(entry.domain, 'credential', credential.name));
    if (credential.state === 'absent' || sent === null) known.delete(key);
    else if (sent !== undefined) known.set(key, sent);
  }
  return known;
}

function countLive({ aliases, rules, credentials }: ObservedDomain): Partial<Record<Section, number>> {
  return {
    ...(aliases === undefined ? {} : { aliases: aliases.length }),
    ...(rules === undefined ? {} : { rules: rules.length }),
    ...(credentials === undefined ? {} : { credentials: credentials.length }),
  };
}
