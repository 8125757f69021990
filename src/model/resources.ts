import { normaliseDestination, type Destination } from './destinations.ts';

/**
 * The settings of a domain that the API can set, under its own names; null is no value.
 * `undefined` stands for what is not managed, or what this generation of the API does not know.
 */
export interface DomainState {
  readonly notification_email?: string | null;
  readonly whitelabel?: string | null;
  /** v3 only. */
  readonly webhook?: string | null;
}

/** In a fixed order. */
export const SETTINGS = [
  'notification_email',
  'whitelabel',
  'webhook',
] as const satisfies readonly (keyof DomainState)[];

/** Whether two values of a setting mean the same: null and the empty text are no value, hosts have no case. */
export function sameSetting(
  setting: keyof DomainState,
  a: string | null | undefined,
  b: string | null | undefined,
): boolean {
  const [left, right] = [a ?? '', b ?? ''];
  if (setting === 'whitelabel') return left.toLowerCase() === right.toLowerCase();
  return normaliseDestination(left) === normaliseDestination(right);
}

export interface AliasState {
  readonly forward: readonly Destination[];
}

export type RuleType = 'alias' | 'regex' | 'cel';
export type Scope = 'sender' | 'recipient' | 'subject' | 'body';

/** What mail a rule takes (v4: Rule, Config by type, without `forward`). */
export type RuleMatch =
  | { readonly type: 'alias'; readonly alias: string }
  | { readonly type: 'regex'; readonly regex: string; readonly scopes: readonly Scope[] }
  | { readonly type: 'cel'; readonly expression: string };

export interface RuleState {
  readonly match: RuleMatch;
  readonly forward: readonly Destination[];
  readonly active: boolean;
  readonly rank: number;
}

/** The names of a rule's fields in plans and reports. */
export type RuleField = 'forward' | 'alias' | 'regex' | 'scopes' | 'expression' | 'active' | 'rank';

/** A credential has nothing that can be read back; only that a new password is to be sent. */
export interface CredentialState {
  readonly password: 'set' | 'unmanaged';
}

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
