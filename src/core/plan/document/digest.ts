import type { Plan, PlannedRoute } from '../../model/plan.ts';
import { NO_PRIOR } from '../../model/prior.ts';
import { makePlan, type PlanInput } from '../plan.ts';
import { planRoutes } from '../routes/routes.ts';

/**
 * The digest by which a saved plan is recognised: that of the plan which manifest, account and allowances alone give, so
 * that a plan of a machine without the state directory can be applied on one that has it.
 */
export function approvalDigest({ input, plan }: PlannedInput, sha256: (text: string) => string): string {
  const bare = isWithoutMemory(input)
    ? plan
    : makePlan({ ...input, prior: NO_PRIOR, changedPasswords: new Set() });
  return planDigest(bare, planRoutes({ ...input, ...bare }), sha256);
}

/** A plan and what it was made from. */
export interface PlannedInput {
  readonly input: PlanInput;
  readonly plan: Plan;
}

function isWithoutMemory({ prior, changedPasswords }: PlanInput): boolean {
  return prior.domains.size + prior.manifests.length + (changedPasswords?.size ?? 0) === 0;
}

/**
 * `sha256:…` over what a plan would do and under which allowances: api, manifest digest, changes, whose mail changes, guards
 * and allowances. Where entries are written, the forecast and the time do not count.
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

/** JSON whose keys are sorted; numbers that JSON lacks, such as a live rank of NaN, as text. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'number' && !Number.isFinite(part)) return String(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
