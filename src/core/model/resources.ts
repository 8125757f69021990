import type { ReferenceDocument } from './destinations.ts';
import type { Source } from './manifest/problem.ts';

/** Where an entry is written; `via` is the position of the domain's `use` when a template brought it. */
export interface Origin {
  readonly source: Source;
  readonly via?: Source;
}

/** An entry that says that something must not be there, as a manifest writes it. */
export interface AbsentDocument {
  readonly state: 'absent';
}

/** One destination, several, or `discard`. */
export type ForwardDocument = string | ReferenceDocument | readonly (string | ReferenceDocument)[];

export type RuleType = 'alias' | 'regex' | 'cel';

/** Parts of a message in which a regular expression may be searched. */
export const SCOPES = ['sender', 'recipient', 'subject', 'body'] as const;
export type Scope = (typeof SCOPES)[number];

/** What mail a rule takes (v4: Rule, Config by type, without `forward`); its texts may be of another type, as in the history. */
export type RuleMatch<Text = string> =
  | { readonly type: 'alias'; readonly alias: Text }
  | { readonly type: 'regex'; readonly regex: Text; readonly scopes: readonly Scope[] }
  | { readonly type: 'cel'; readonly expression: Text };

/** Whether two rules match the same mail by the same means: type and condition, not rank, activity or destinations. */
export function sameMatch(a: RuleMatch, b: RuleMatch): boolean {
  if (a.type === 'alias') return b.type === 'alias' && a.alias === b.alias;
  if (a.type === 'cel') return b.type === 'cel' && a.expression === b.expression;
  return b.type === 'regex' && a.regex === b.regex && sameScopes(a.scopes, b.scopes);
}

function sameScopes(a: readonly Scope[], b: readonly Scope[]): boolean {
  const left = new Set(a);
  return left.size === new Set(b).size && b.every((scope) => left.has(scope));
}
