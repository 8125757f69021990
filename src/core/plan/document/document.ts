import { FINDINGS } from '../../model/lint/findings.ts';
import { showText, type Disclosure } from '../../model/destinations.ts';
import type {
  Change,
  Forecast,
  GuardFinding,
  Plan,
  PlannedRoute,
  PlanSummary,
  PlanUsage,
  Withheld,
} from '../../model/plan.ts';
import type { Problem, Source } from '../../model/manifest/problem.ts';
import { shownFields } from '../../kinds/items.ts';
import type { ShownChange } from '../diff/shown.ts';
import { plannedRouteDocument, type PlannedRouteDocument } from './planned-routes.ts';
import type { ReplayCounts } from '../replay/replay.ts';
import { planUsage } from '../usage.ts';

/**
 * `fwdsync/plan@1`: a plan as it may be shown, printed by `plan --format json` and saved by `--out`;
 * schemas/plan.v1.schema.json. Every renderer takes only this document, so that all formats agree.
 */
export interface PlanDocument {
  readonly kind: 'fwdsync/plan@1';
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly digest: string;
  readonly api: Plan['api'];
  readonly manifest: Plan['manifest'];
  readonly options: PlanOptionsDocument;
  /** Domains that `--quick` left out; absent without it. */
  readonly skipped?: number;
  readonly summary: PlanSummary;
  /** Unchanged items of the domains that have changes. */
  readonly unchanged: Readonly<Record<string, number>>;
  readonly changes: readonly ChangeDocument[];
  readonly guards: readonly GuardDocument[];
  readonly allowances: readonly string[];
  readonly withheld: readonly Pick<Withheld, 'domain' | 'part' | 'reason'>[];
  readonly warnings: readonly WarningDocument[];
  /** Mail that ends elsewhere; absent in plans of earlier versions. */
  readonly routes?: readonly PlannedRouteDocument[];
  /** Amount of mail that the plan changes. Absent if the plan was not weighed. */
  readonly replay?: ReplayDocument;
  readonly problems: readonly Problem[];
  readonly forecast: Forecast;
  /** Use of the account's limits; only those of items that the plan adds or deletes. */
  readonly usage?: readonly PlanUsage[];
}

/** The parts of a plan that people see. The digest is left out, because it takes time to compute for a large plan. */
export type PlanContents = Omit<PlanDocument, 'digest' | 'manifest'>;

/** The options of a plan, with which `apply` makes it again. Allowances that were not given are absent. */
export interface PlanOptionsDocument {
  /** Paths given with `-f`. */
  readonly paths: readonly string[];
  /** The account's name among many, and a hash of the accounts that were planned together. */
  readonly account?: { readonly name: string; readonly set: string };
  /** The domains that were planned; null means all that the manifest names. */
  readonly domains: readonly string[] | null;
  readonly allowDeletes?: number;
  readonly allowReroutes?: number;
  readonly allowDomainDelete?: readonly string[];
  readonly allowEmpty?: readonly string[];
  readonly allowUnrouted?: readonly string[];
  readonly rotate?: readonly string[];
  readonly skipRefused?: true;
  readonly mask?: true;
}

export type ChangeDocument = Pick<
  Change,
  'kind' | 'name' | 'id' | 'stage' | 'conditional' | 'reason' | 'source' | 'via'
> &
  ShownChange & { readonly domain: string };

export type GuardDocument = Omit<GuardFinding, 'allowance' | 'holds'>;

/** A plan weighed with the mail that came, by the email logs. */
export interface ReplayDocument extends Omit<ReplayCounts, 'byRoute'> {
  /** ISO 8601, UTC. */
  readonly since: string;
  readonly until: string;
  /** False if mail may be missing. */
  readonly complete: boolean;
}

/** A plan's routes with the number of messages of each. */
export interface WeighedPlan {
  readonly document: ReplayDocument;
  readonly byRoute: ReplayCounts['byRoute'];
}

export interface WarningDocument {
  readonly severity: Problem['severity'];
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly source: Source | null;
}

export interface PlanContentsOptions {
  readonly forecast: Forecast;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly disclosure: Disclosure;
  readonly options: PlanOptionsDocument;
  /** See `PlanDocument`. */
  readonly skipped?: number;
  readonly routes: readonly PlannedRoute[];
  readonly weighed?: WeighedPlan | undefined;
}

export function planDocument(
  plan: Plan,
  { digest, ...how }: PlanContentsOptions & Pick<PlanDocument, 'digest'>,
): PlanDocument {
  const { kind, createdAt, api, ...contents } = planContents(plan, how);
  return { kind, createdAt, digest, api, manifest: plan.manifest, ...contents };
}

/** Returns the parts of a plan that may be shown: values behind references as references, masked if requested. */
export function planContents(plan: Plan, how: PlanContentsOptions): PlanContents {
  const { disclosure, forecast, createdAt, options, skipped, routes, weighed } = how;
  const show = (text: string): string => showText(text, disclosure);
  const touched = new Set(plan.changes.map(({ domain }) => domain));
  return {
    kind: 'fwdsync/plan@1',
    createdAt: new Date(createdAt).toISOString(),
    api: plan.api,
    options,
    ...(skipped === undefined ? {} : { skipped }),
    summary: plan.summary,
    unchanged: Object.fromEntries([...plan.unchanged].filter(([domain]) => touched.has(domain))),
    changes: plan.changes.map((change) => changeDocument(change, disclosure)),
    guards: plan.guards.map(({ guard, scope, limit, planned, allow, allowed, refuses, message }) => ({
      guard,
      scope,
      limit,
      planned,
      allow: allow === null ? null : show(allow),
      allowed,
      refuses,
      message: show(message),
    })),
    allowances: plan.allowances.map(show),
    withheld: plan.withheld.map(({ domain, part, reason }) => ({ domain, part, reason: show(reason) })),
    warnings: plan.warnings.map(({ code, source, ...said }) => {
      return { severity: FINDINGS[code], code, ...showNote(said, show), source };
    }),
    routes: routes.map((route, index) => ({
      ...plannedRouteDocument(route, disclosure),
      ...(weighed === undefined ? {} : { messages: weighed.byRoute[index] ?? null }),
    })),
    ...(weighed === undefined ? {} : { replay: weighed.document }),
    problems: plan.problems.map((problem) => ({ ...problem, ...showNote(problem, show) })),
    forecast,
    usage: planUsage(plan),
  };
}

export function showNote<Note extends { readonly message: string; readonly hint?: string }>(
  { message, hint }: Note,
  show: (text: string) => string,
): Pick<Note, 'message' | 'hint'> {
  return { message: show(message), ...(hint === undefined ? {} : { hint: show(hint) }) };
}

/** Returns one change as it may be shown. */
export function changeDocument(change: Change, disclosure: Disclosure): ChangeDocument {
  const { action, kind, domain, name, id, fields, stage, conditional, reason, source, via } = change;
  const contents = 'contents' in change ? change.contents : undefined;
  const after = 'after' in change ? change.after : undefined;
  return {
    action,
    kind,
    domain,
    name: kind === 'domain' ? name : showText(name, disclosure),
    id,
    fields,
    observed: shownFields(change, 'observed', disclosure),
    desired: shownFields(change, 'desired', disclosure),
    stage,
    conditional,
    reason,
    source,
    ...(via === undefined ? {} : { via }),
    ...(typeof after === 'string' ? { after: showText(after, disclosure) } : after === null ? { after } : {}),
    ...(contents === undefined ? {} : { contents }),
  };
}
