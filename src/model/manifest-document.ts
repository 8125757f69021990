import { DISCARD, type Destination } from './destinations.ts';
import type { ObservedRule } from './observed.ts';

/**
 * The manifest language as plain data: what a program writes where a person would write YAML.
 * What is keyed by names is a Map, so that an alias named `__proto__` is a name like any other.
 */
export interface ManifestDocument {
  readonly version: 1;
  /** Lines of comment at the top. */
  readonly comments?: readonly string[];
  readonly api?: {
    readonly account?: string;
    readonly version?: 'v4' | 'v3';
    readonly url?: string;
    readonly key?: ReferenceDocument;
  };
  readonly destinations?: ReadonlyMap<string, ReferenceDocument>;
  readonly domains: ReadonlyMap<string, DomainDocument>;
}

export interface DomainDocument {
  /** Lines of comment above the domain. */
  readonly comments?: readonly string[];
  readonly state?: 'absent';
  readonly notification_email?: string;
  readonly whitelabel?: string;
  readonly webhook?: string;
  readonly prune?: true;
  readonly aliases?: ReadonlyMap<string, ForwardDocument | AbsentDocument>;
  readonly rules?: readonly RuleDocument[];
  readonly credentials?: ReadonlyMap<string, CredentialDocument | AbsentDocument>;
}

export interface AbsentDocument {
  readonly state: 'absent';
}

export type ReferenceDocument = { readonly env: string } | { readonly file: string };

/** One destination, several, or `discard`. */
export type ForwardDocument = string | ReferenceDocument | readonly (string | ReferenceDocument)[];

export interface RuleDocument {
  readonly name?: string;
  readonly id?: string;
  readonly state?: 'absent';
  readonly alias?: string;
  readonly regex?: string;
  readonly scopes?: readonly string[];
  readonly expression?: string;
  readonly forward?: ForwardDocument;
  readonly active?: boolean;
}

export interface CredentialDocument {
  readonly password?: ReferenceDocument;
}

/** Destinations as a manifest writes them, sorted: `discard` for `null`, a list for several. */
export function forwardDocument(forward: readonly Destination[]): ForwardDocument {
  const destinations = forward
    .toSorted()
    .map((destination) => (destination === DISCARD ? 'discard' : destination));
  const [only] = destinations;
  return destinations.length === 1 && only !== undefined ? only : destinations;
}

/** Live destinations as a manifest writes them. */
export type ShowForward = (forward: readonly Destination[]) => ForwardDocument;

/** A live rule as a manifest writes it. */
export function ruleDocument(rule: ObservedRule, name: string, show: ShowForward): RuleDocument {
  const { id, match, active } = rule;
  const rest = { forward: show(rule.forward), ...(active ? {} : { active }) };
  switch (match.type) {
    case 'alias':
      return { name, id, alias: match.alias, ...rest };
    case 'regex':
      return { name, id, regex: match.regex, scopes: match.scopes, ...rest };
    case 'cel':
      return { name, id, expression: match.expression, ...rest };
  }
}
