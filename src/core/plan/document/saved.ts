import { escapeInvisible } from '../../model/names.ts';
import { stableJson } from './digest.ts';
import type { PlanDocument } from './document.ts';

/** A plan document with a checksum and a seal that show edits. */
export type SavedPlan = PlanDocument & {
  /** `sha256:…` over everything except `checksum` and `seal`. Anyone can check it, so anyone can forge it. */
  readonly checksum: string;
  /** `hmac-sha256:…` over the same text, keyed with the account's API key. Only someone with the key can make it. */
  readonly seal: string;
};

export interface PlanHashes {
  /** Hashes a text into hexadecimal digits. */
  readonly sha256: (text: string) => string;
  /** Hashes a text with the account's API key. */
  readonly hmac: (text: string) => string;
}

export type ReadPlan =
  | { readonly kind: 'not-a-plan'; readonly reason: string }
  /** The plan was changed after it was made. It is not shown and approves nothing. */
  | { readonly kind: 'edited' }
  | { readonly kind: 'intact'; readonly plan: SavedPlan };

export function sealPlan(plan: PlanDocument, { sha256, hmac }: PlanHashes): SavedPlan {
  const text = textOf(plan);
  return { ...plan, checksum: `sha256:${sha256(text)}`, seal: `hmac-sha256:${hmac(text)}` };
}

export interface PlanChecks extends Pick<PlanHashes, 'sha256'> {
  /** Returns the first place that does not match a plan document, such as `changes[3].name`; null if all match. */
  readonly fault: (value: unknown) => string | null;
}

/** Reads a saved plan from parsed JSON and verifies its checksum. Unknown fields are kept. */
export function readPlan(value: unknown, checks: PlanChecks): ReadPlan {
  try {
    return readChecked(value, checks);
  } catch (error) {
    // JSON nested thousands of levels deep overflows the recursive functions that visit it.
    if (error instanceof RangeError) return { kind: 'not-a-plan', reason: 'it is nested too deeply' };
    throw error;
  }
}

function readChecked(value: unknown, checks: PlanChecks): ReadPlan {
  if (value === undefined) return { kind: 'not-a-plan', reason: 'it is not JSON' };
  if (!isSavedPlan(value)) return { kind: 'not-a-plan', reason: 'its kind is not fwdsync/plan@1' };
  const fault = checks.fault(value);
  if (fault !== null) return { kind: 'not-a-plan', reason: `it has no valid ${escapeInvisible(fault)}` };
  const intact = value.checksum === `sha256:${checks.sha256(textOf(value))}`;
  return intact ? { kind: 'intact', plan: value } : { kind: 'edited' };
}

/** True if the plan was sealed with this key and has not changed. */
export function isSealedBy(plan: SavedPlan, hmac: PlanHashes['hmac']): boolean {
  return plan.seal === `hmac-sha256:${hmac(textOf(plan))}`;
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the document as it is printed. Values that JSON cannot express are left out. */
function textOf(document: PlanDocument | SavedPlan): string {
  return stableJson({
    ...(JSON.parse(JSON.stringify(document)) as object),
    checksum: undefined,
    seal: undefined,
  });
}

/** True if the document's kind is a plan's. The rest is checked later. */
function isSavedPlan(value: unknown): value is SavedPlan {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'fwdsync/plan@1';
}
