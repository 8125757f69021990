import type { RuleMatch } from '../../model/resources.ts';
import type { LeftOutReason, Span } from './forwards.ts';

/** An address, or a part of its destinations, that the manifest does not have. */
export interface LeftOut {
  readonly span: Span;
  readonly address: string | null;
  readonly reason: LeftOutReason;
  /** True if other destinations of the address are in the manifest. */
  readonly isPart?: boolean;
  /** Destinations to which a catch-all or a pattern of the manifest now sends its mail; null if none does. */
  readonly fallsTo: readonly string[] | null;
}

export interface ImportedAlias {
  readonly span: Span;
  readonly name: string;
  readonly forward: readonly string[];
}

export interface ImportedRule {
  readonly span: Span;
  readonly name: string;
  readonly match: RuleMatch;
  readonly forward: readonly string[];
}

/** A domain as the manifest will have it. */
export interface ImportedDomain {
  readonly domain: string;
  readonly aliases: readonly ImportedAlias[];
  readonly rules: readonly ImportedRule[];
  readonly leftOut: readonly LeftOut[];
}
