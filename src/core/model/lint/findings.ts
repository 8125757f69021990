import type { DomainName } from '../names.ts';

/**
 * Every warning and notice of `validate`, `plan` and the daemon: legal, but perhaps not intended. `lint.off` can
 * silence each. Errors and guards are not here and cannot be silenced. docs/lint.md and docs/problems.md explain the
 * findings.
 */
const SEVERITIES = {
  'account-locked': 'warning',
  'adopted-by-content': 'warning',
  'aliases-limit': 'warning',
  'aliases-not-active': 'warning',
  anchoring: 'warning',
  'capture-without-group': 'warning',
  'catch-all-gone': 'warning',
  'clock-skew': 'warning',
  'default-catch-all': 'warning',
  'domain-banned': 'warning',
  'domain-gone': 'warning',
  'domain-not-forwarding': 'warning',
  'domain-not-sending': 'warning',
  'equal-condition': 'warning',
  'expect-ambiguous': 'warning',
  'forwards-not-checked': 'warning',
  'literal-pattern': 'warning',
  'manifest-removed': 'warning',
  'may-not-clear': 'warning',
  'no-abuse': 'notice',
  'no-domains': 'warning',
  'no-final-newline': 'warning',
  'no-longer-managed': 'warning',
  'no-postmaster': 'notice',
  'non-ascii-name': 'warning',
  'not-comparable': 'warning',
  'not-kept': 'warning',
  'nothing-managed': 'warning',
  'over-quota': 'warning',
  'overlapping-patterns': 'warning',
  'password-not-set': 'warning',
  'password-unknown': 'warning',
  'pending-tombstone': 'warning',
  'plain-http': 'warning',
  'possible-loop': 'warning',
  'private-webhook': 'warning',
  'reference-not-set': 'warning',
  'rotate-unknown': 'warning',
  'rules-limit': 'warning',
  'rules-not-active': 'warning',
  'same-as-catch-all': 'notice',
  'same-domain-destination': 'warning',
  'shadowed-alias': 'warning',
  'shadowed-rule': 'warning',
  'similar-destination': 'notice',
  'similar-domain': 'warning',
  'state-damaged': 'warning',
  'unknown-whitelabel': 'warning',
  'unmanaged-rule-first': 'warning',
  'unused-destination': 'notice',
  'unused-template': 'notice',
  'would-delete': 'warning',
} as const satisfies Readonly<Record<string, 'warning' | 'notice'>>;

export type FindingCode = keyof typeof SEVERITIES;

export const FINDINGS: Readonly<Record<FindingCode, 'warning' | 'notice'>> = SEVERITIES;
export const FINDING_CODES = Object.keys(FINDINGS) as readonly FindingCode[];

export function isFindingCode(text: string): text is FindingCode {
  return Object.hasOwn(FINDINGS, text);
}

/** The subject of a finding, if it concerns one domain. */
export interface FindingSubject {
  readonly domain?: DomainName;
  /** Names of the aliases, rules or credentials that the finding concerns. */
  readonly entries?: readonly string[];
}

/** One item of `lint.off`: all findings of a code, or those that concern one entry. */
export interface Silence {
  readonly code: FindingCode;
  readonly entry: string | null;
}

/** Parses `CODE` or `CODE ENTRY`. Returns null if there is no such code. */
export function parseSilence(text: string): Silence | null {
  const [, code = '', entry] = /^(\S+)(?:\s+(.+?))?\s*$/.exec(text) ?? [];
  return isFindingCode(code) ? { code, entry: entry ?? null } : null;
}
