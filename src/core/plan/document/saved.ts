import { escapeInvisible } from '../../model/names.ts';
import { stableJson } from './digest.ts';
import type { PlanDocument } from './document.ts';

/** A plan document as it is printed and saved, and recognised when it was edited. */
export type SavedPlan = PlanDocument & {
  /** `sha256:…` over everything but these two: anybody can check it, and so anybody can forge it. */
  readonly checksum: string;
  /** `hmac-sha256:…` over the same under the account's API key: only who has the key can make it. */
  readonly seal: string;
};

export interface PlanHashes {
  /** In hexadecimal digits. */
  readonly sha256: (text: string) => string;
  /** The same, keyed with the account's API key. */
  readonly hmac: (text: string) => string;
}

export type ReadPlan =
  | { readonly kind: 'not-a-plan'; readonly reason: string }
  /** Somebody changed it since it was made: nothing of it is worth showing, and it approves nothing. */
  | { readonly kind: 'edited' }
  | { readonly kind: 'intact'; readonly plan: SavedPlan };

export function sealPlan(plan: PlanDocument, { sha256, hmac }: PlanHashes): SavedPlan {
  const text = textOf(plan);
  return { ...plan, checksum: `sha256:${sha256(text)}`, seal: `hmac-sha256:${hmac(text)}` };
}

export interface PlanChecks extends Pick<PlanHashes, 'sha256'> {
  /** Where a value has not the shape of a plan document, such as `changes[3].name`; null: it has. */
  readonly fault: (value: unknown) => string | null;
}

/** Reads a saved plan back from what JSON says, by its checksum alone. Fields that are not known are kept. */
export function readPlan(value: unknown, checks: PlanChecks): ReadPlan {
  try {
    return readChecked(value, checks);
  } catch (error) {
    // Of a text that is nested by the thousand: its parts are visited by functions that call themselves.
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

/** Whether the plan was made by somebody who had this key, and is as it was made. */
export function isSealedBy(plan: SavedPlan, hmac: PlanHashes['hmac']): boolean {
  return plan.seal === `hmac-sha256:${hmac(textOf(plan))}`;
}

/** The JSON of a file; undefined: it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The document as it is printed: what JSON cannot say does not count. */
function textOf(document: PlanDocument | SavedPlan): string {
  return stableJson({
    ...(JSON.parse(JSON.stringify(document)) as object),
    checksum: undefined,
    seal: undefined,
  });
}

/** By its kind; whether the rest of it fits is still to be seen. */
function isSavedPlan(value: unknown): value is SavedPlan {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'fwdsync/plan@1';
}
