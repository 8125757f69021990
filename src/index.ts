/**
 * The library's face: everything that may be imported from outside; docs/library.md. Loading, planning and exporting are
 * pure; the client and `apply` are the only parts that touch the network.
 */
export { loadManifest, type LoadedManifest, type LoadOptions, type ManifestText } from './core/manifest/load.ts';
export { createClient, type ClientOptions, type FullClient } from './client/create.ts';
export type { Client } from './client/client.ts';
export type { ApiError } from './client/errors.ts';
export { observe, type ObserveOptions } from './client/observe.ts';
export { makePlan as plan, type PlanInput } from './core/plan/plan.ts';
export type { Policy } from './core/plan/policy.ts';
export {
  applyManifest as apply,
  defaultPolicy,
  exportManifest,
  type ApplyOptions,
} from './engine/apply-manifest.ts';
export type { Once } from './engine/once.ts';
export type { ExportOptions } from './core/manifest/write/export.ts';
export { NO_PRIOR, type Prior } from './core/model/prior.ts';
export type { Clock } from './core/model/clock.ts';
export type { Desired } from './core/model/desired.ts';
export type { Observed } from './core/model/observed.ts';
export type { Change, GuardFinding, Plan, Warning } from './core/model/plan.ts';
export type { Problem, Source } from './core/model/manifest/problem.ts';
export type { Report } from './core/model/report.ts';
export type { Result } from './core/model/result.ts';
