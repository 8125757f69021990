import { showForward } from '../model/disclosure.ts';
import { nameKey } from '../model/names.ts';
import type { PriorDomain } from '../model/prior.ts';
import type { AliasState, DomainState, Kind, RuleState } from '../model/resources.ts';

/** What identifies an item within its domain in the state directory: `alias:sales`, `rule:vip`, `domain:acme.example`. */
export function itemKey(kind: Kind, name: string): string {
  return kind === 'rule' ? `rule:${name.normalize('NFC')}` : `${kind}:${nameKey(name)}`;
}

/** What an item shall be, with its kind: what a signature is made of. The rank of a rule is no part of it. */
export type Wanted =
  | { readonly kind: 'domain'; readonly state: DomainState }
  | { readonly kind: 'alias'; readonly state: AliasState }
  | { readonly kind: 'rule'; readonly state: Omit<RuleState, 'rank'> }
  | { readonly kind: 'credential' };

/**
 * A text that is equal for equal desired states. Values from references stand in it as the reference, so that it may
 * be saved; a new value behind the same reference does not change it.
 */
export function signature(wanted: Wanted, references: ReadonlyMap<string, string>): string {
  const disclosure = { references, mask: false };
  switch (wanted.kind) {
    case 'domain': {
      const { notification_email, whitelabel, webhook } = wanted.state;
      return JSON.stringify({ notification_email, whitelabel, webhook });
    }
    case 'alias':
      return showForward(wanted.state.forward, disclosure);
    case 'rule':
      return JSON.stringify([
        matchParts(wanted.state.match),
        showForward(wanted.state.forward, disclosure),
        wanted.state.active,
      ]);
    case 'credential':
      return 'exists';
  }
}

function matchParts(match: RuleState['match']): readonly string[] {
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
export interface Memory {
  readonly prior: PriorDomain | null;
  readonly references: ReadonlyMap<string, string>;
}

/** `drift` where this very state is known to have been in place before. */
export function reasonFor(name: string, wanted: Wanted, memory: Memory): 'drift' | 'manifest' {
  return remembers(memory.prior?.applied, name, wanted, memory) ? 'drift' : 'manifest';
}

/** Whether the service accepted this very state before and did not keep it. */
export function wasNotKept(name: string, wanted: Wanted, memory: Memory): boolean {
  return remembers(memory.prior?.notKept, name, wanted, memory);
}

function remembers(
  known: ReadonlyMap<string, string> | undefined,
  name: string,
  wanted: Wanted,
  memory: Memory,
): boolean {
  if (known === undefined || known.size === 0) return false;
  const remembered = known.get(itemKey(wanted.kind, name));
  return remembered !== undefined && remembered === signature(wanted, memory.references);
}
