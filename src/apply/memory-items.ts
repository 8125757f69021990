import type { PresentDomain } from '../model/desired.ts';
import type { DomainName } from '../model/names.ts';
import type { PriorDomain } from '../model/prior.ts';
import type { Kind } from '../model/resources.ts';
import { managedState } from '../plan/settings.ts';
import { itemKey, signature, type Wanted } from '../plan/signature.ts';
import type { MemoryInput } from './memory.ts';

/** An item of a domain by kind and name, as memories and sets of items name it. */
export function itemOfName(domain: DomainName, kind: Kind, name: string): string {
  return `${domain}\n${itemKey(kind, name)}`;
}

/** Which of a domain's items are in place as they are desired, and which the service does not keep. */
export function rememberItems(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  { open, notKept, desired }: MemoryInput,
): Pick<PriorDomain, 'applied' | 'notKept'> {
  const applied = new Map<string, string>();
  const lost = new Map<string, string>();
  for (const { name, wanted } of wantedItems(entry)) {
    const item = itemOfName(entry.domain, wanted.kind, name);
    const key = itemKey(wanted.kind, name);
    const text = signature(wanted, desired.references);
    const isOpen = open.has(item);
    if (!isOpen || before?.applied.get(key) === text) applied.set(key, text);
    // Until the entry changes, for its signature is another one then, or is in place all the same.
    const still = isOpen && before?.notKept.get(key) === text;
    if (still || notKept.has(item)) lost.set(key, text);
  }
  return { applied, notKept: lost };
}

export interface WantedItem {
  readonly name: string;
  readonly wanted: Wanted;
}

/** All that a domain shall have, by name. */
export function wantedItems(entry: PresentDomain): readonly WantedItem[] {
  const aliases = present(entry.aliases?.entries.values());
  const rules = present(entry.rules?.entries);
  const credentials = present(entry.credentials?.entries.values());
  return [
    { name: entry.domain, wanted: { kind: 'domain', state: managedState(entry) } },
    ...aliases.map((alias): WantedItem => ({ name: alias.name, wanted: { kind: 'alias', state: alias } })),
    ...rules.map((rule): WantedItem => ({ name: rule.name, wanted: { kind: 'rule', state: rule } })),
    ...credentials.map(({ name }): WantedItem => ({ name, wanted: { kind: 'credential' } })),
  ];
}

function present<Entry extends { readonly state: 'present' | 'absent' }>(
  entries: Iterable<Entry> = [],
): readonly Extract<Entry, { readonly state: 'present' }>[] {
  const isPresent = (entry: Entry): entry is Extract<Entry, { readonly state: 'present' }> =>
    entry.state === 'present';
  return [...entries].filter(isPresent);
}
