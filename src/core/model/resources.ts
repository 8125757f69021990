import type { ReferenceDocument } from './destinations.ts';
import type { Source } from './manifest/problem.ts';

/** The place where an entry is written; `via` is the position of the domain's `use` if a template added it. */
export interface Origin {
  readonly source: Source;
  readonly via?: Source;
}

/** A tombstone, as a manifest writes it. */
export interface AbsentDocument {
  readonly state: 'absent';
}

/** One destination, several, or `discard`. */
export type ForwardDocument = string | ReferenceDocument | readonly (string | ReferenceDocument)[];

export type RuleType = 'alias' | 'regex' | 'cel';

/** Parts of a message that a regular expression may search. */
export const SCOPES = ['sender', 'recipient', 'subject', 'body'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * The mail that a rule takes (v4: Rule, Config by type, without `forward`). Its texts may have another type, as in the
 * history.
 */
export type RuleMatch<Text = string> =
  | { readonly type: 'alias'; readonly alias: Text }
  | { readonly type: 'regex'; readonly regex: Text; readonly scopes: readonly Scope[] }
  | { readonly type: 'cel'; readonly expression: Text };

/** True if two rules have the same type and condition. Rank, activity and destinations do not count. */
export function sameMatch(a: RuleMatch, b: RuleMatch): boolean {
  if (a.type === 'alias') return b.type === 'alias' && a.alias === b.alias;
  if (a.type === 'cel') return b.type === 'cel' && a.expression === b.expression;
  return b.type === 'regex' && a.regex === b.regex && sameScopes(a.scopes, b.scopes);
}

function sameScopes(a: readonly Scope[], b: readonly Scope[]): boolean {
  const left = new Set(a);
  return left.size === new Set(b).size && b.every((scope) => left.has(scope));
}
