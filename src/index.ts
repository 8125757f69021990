/**
 * The library's face: everything that may be imported from outside; docs/library.md. Loading, planning and exporting are
 * pure; the client and `apply` are the only parts that touch the network.
 */
export { loadManifest, type LoadedManifest, type LoadOptions, type ManifestText } from './manifest/load.ts';
export { createClient, type ClientOptions, type FullClient } from './api/create.ts';
export type { Client } from './api/client.ts';
export type { ApiError } from './api/errors.ts';
export { observe, type ObserveOptions } from './api/observe.ts';
export { makePlan as plan, type PlanInput } from './plan/plan.ts';
export type { Policy } from './plan/policy.ts';
export {
  applyManifest as apply,
  defaultPolicy,
  exportManifest,
  type ApplyOptions,
} from './reconcile/apply-manifest.ts';
export type { Once } from './reconcile/once.ts';
export type { ExportOptions } from './manifest/write/export.ts';
export { NO_PRIOR, type Prior } from './model/prior.ts';
export type { Clock } from './model/clock.ts';
export type { Desired } from './model/desired.ts';
export type { Observed } from './model/observed.ts';
export type { Change, GuardFinding, Plan, Warning } from './model/plan.ts';
export type { Problem, Source } from './model/manifest/problem.ts';
export type { Report } from './model/report.ts';
export type { Result } from './model/result.ts';
