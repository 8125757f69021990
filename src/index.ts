/**
 * The library's face: everything that may be imported from outside. Loading and planning are pure; the client is the
 * only part that touches the network.
 */
export { loadManifest } from './manifest/load.ts';
export type { LoadedManifest, LoadOptions, ManifestText } from './manifest/load.ts';
export { makePlan as plan } from './plan/plan.ts';
export type { PlanInput } from './plan/plan.ts';
export { createClient } from './api/create.ts';
export type { Client } from './api/client.ts';
export { observe } from './api/observe.ts';
export type { Desired } from './model/desired.ts';
export type { Observed } from './model/observed.ts';
export type { Change, Plan } from './model/plan.ts';
export type { Problem } from './model/problem.ts';
