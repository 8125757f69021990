import { accountEntryKey, entryKey } from '../../model/item-key.ts';
import type { PresentDomain } from '../../model/desired.ts';
import type { KeptOtherwise, PriorDomain } from '../../model/prior.ts';
import { ALL_KINDS, type Kind } from '../../model/kinds.ts';
import { managedState } from '../../plan/diff/settings.ts';
import { signature, type Wanted } from '../../plan/diff/signature.ts';
import type { MemoryInput } from './memory.ts';

/** Which of a domain's items are in place as they are desired, and which the service keeps otherwise. */
export function rememberItems(
  entry: PresentDomain,
  before: PriorDomain | undefined,
  { open, keptOtherwise, desired }: MemoryInput,
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
    // Until the entry changes, for its signature is another one then, or is in place.
    const known = isOpen ? before?.keptOtherwise.get(key) : undefined;
    if (shown !== undefined) kept.set(key, { sent: text, shown });
    else if (known?.sent === text) kept.set(key, known);
  }
  return { applied, keptOtherwise: kept };
}

export interface WantedItem {
  readonly name: string;
  readonly wanted: Wanted;
}

/** All that a domain shall have, by name. */
export function wantedItems(entry: PresentDomain): readonly WantedItem[] {
  return ALL_KINDS.flatMap((kind) => WANTED[kind](entry));
}

const WANTED: Readonly<Record<Kind, (entry: PresentDomain) => readonly WantedItem[]>> = {
  domain: (entry) => [{ name: entry.domain, wanted: { kind: 'domain', state: managedState(entry) } }],
  alias: ({ aliases }) =>
    present(aliases?.entries.values()).map((state) => ({
      name: state.name,
      wanted: { kind: 'alias', state },
    })),
  rule: ({ rules }) =>
    present(rules?.entries).map((state) => ({ name: state.name, wanted: { kind: 'rule', state } })),
  credential: ({ credentials }) =>
    present(credentials?.entries.values()).map(({ name }) => ({ name, wanted: { kind: 'credential' } })),
};

function present<Entry extends { readonly state: 'present' | 'absent' }>(
  entries: Iterable<Entry> = [],
): readonly Extract<Entry, { readonly state: 'present' }>[] {
  const isPresent = (entry: Entry): entry is Extract<Entry, { readonly state: 'present' }> =>
    entry.state === 'present';
  return [...entries].filter(isPresent);
}
