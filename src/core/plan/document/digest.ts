import type { Plan, PlannedRoute } from '../../model/plan.ts';
import { NO_PRIOR } from '../../model/prior.ts';
import { makePlan, type PlanInput } from '../plan.ts';
import { planRoutes } from '../routes/routes.ts';

/**
 * Returns the digest that identifies a saved plan. It covers the plan made from manifest, account and allowances
 * alone, so that a plan made without the state directory can be applied on a machine that has it.
 */
export function approvalDigest({ input, plan }: PlannedInput, sha256: (text: string) => string): string {
  const bare = isWithoutMemory(input)
    ? plan
    : makePlan({ ...input, prior: NO_PRIOR, changedPasswords: new Set() });
  return planDigest(bare, planRoutes({ ...input, ...bare }), sha256);
}

/** A plan and its inputs. */
export interface PlannedInput {
  readonly input: PlanInput;
  readonly plan: Plan;
}

function isWithoutMemory({ prior, changedPasswords }: PlanInput): boolean {
  return prior.domains.size + prior.manifests.length + (changedPasswords?.size ?? 0) === 0;
}

/**
 * Returns `sha256:…` over the effects of a plan and its allowances: api, manifest digest, changes, mail routes, guards
 * and allowances. Positions in files, the forecast and the time do not count.
 */
export function planDigest(
  plan: Plan,
  routes: readonly PlannedRoute[],
  sha256: (text: string) => string,
): string {
  const { api, changes, guards, allowances } = plan;
  const covered = {
    api,
    manifest: plan.manifest.digest,
    changes: changes.map((change) => ({ ...change, source: undefined, via: undefined })),
    routes,
    guards,
    allowances,
  };
  return `sha256:${sha256(stableJson(covered))}`;
}

/** Formats JSON with sorted keys. Numbers that JSON lacks, such as a live rank of NaN, become text. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'number' && !Number.isFinite(part)) return String(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
