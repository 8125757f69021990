import { entryKey } from '../../model/item-key.ts';
import { showDestinations, type Disclosure } from '../../model/destinations.ts';
import type { Change } from '../../model/plan.ts';
import type { PriorDomain } from '../../model/prior.ts';
import type { AliasState, DomainState, RuleState } from '../../model/resources.ts';

/** What is desired of an item, with its kind: what a signature is made of. The rank of a rule is no part of it. */
export type Wanted =
  | { readonly kind: 'domain'; readonly state: DomainState }
  | { readonly kind: 'alias'; readonly state: AliasState }
  | { readonly kind: 'rule'; readonly state: Omit<RuleState, 'rank'> }
  | { readonly kind: 'credential'; readonly state: object };

/** One side of a change; null where there is no item, or should be none. */
export function sideOf(change: Change, side: 'observed' | 'desired'): Wanted | null {
  const state = change[side];
  return state === null ? null : ({ kind: change.kind, state } as Wanted);
}

/**
 * A text that is equal for equal desired states. Values from references stand in it as the reference, so that it may
 * be saved; a new value behind the same reference does not change it.
 */
export function signature(wanted: Wanted, references: Disclosure['references']): string {
  const disclosure = { references, mask: false } as const;
  switch (wanted.kind) {
    case 'domain': {
      const { notification_email, whitelabel, webhook } = wanted.state;
      return JSON.stringify({ notification_email, whitelabel, webhook });
    }
    case 'alias':
      return showDestinations(wanted.state.forward, disclosure);
    case 'rule':
      return JSON.stringify([
        matchParts(wanted.state.match),
        showDestinations(wanted.state.forward, disclosure),
        wanted.state.active,
      ]);
    case 'credential':
      return 'exists';
  }
}

/** Equal for equal conditions, and only for those. */
export function matchParts(match: RuleState['match']): readonly string[] {
  switch (match.type) {
    case 'alias':
      return [match.type, match.alias];
    case 'cel':
      return [match.type, match.expression];
    case 'regex':
      return [match.type, match.regex, ...new Set(match.scopes.toSorted())];
  }
}

/** What the state directory knows of one domain, asked item by item. */
export interface ItemMemory {
  readonly prior: PriorDomain | null;
  readonly references: Disclosure['references'];
}

/** `drift` where this very state is known to have been in place before. */
export function reasonFor(name: string, wanted: Wanted, memory: ItemMemory): 'drift' | 'manifest' {
  const applied = memory.prior?.applied.get(entryKey(wanted.kind, name));
  return applied === signature(wanted, memory.references) ? 'drift' : 'manifest';
}

/** Whether the service accepted this very state before and showed then what it shows now. Any other difference is a change. */
export function isKeptOtherwise(
  name: string,
  { wanted, live }: { readonly wanted: Wanted; readonly live: Wanted },
  { prior, references }: ItemMemory,
): boolean {
  const known = prior?.keptOtherwise.get(entryKey(wanted.kind, name));
  return (
    known !== undefined &&
    known.sent === signature(wanted, references) &&
    known.shown === signature(live, references)
  );
}
