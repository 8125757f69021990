import { appendFile } from 'node:fs/promises';
import type { Forecast, Plan } from '../../../core/model/plan.ts';
import { approvalDigest } from '../../../core/plan/document/digest.ts';
import {
  planContents,
  planDocument,
  type PlanContents,
  type PlanContentsOptions,
  type WeighedPlan,
} from '../../../core/plan/document/document.ts';
import { forecast, plannedWork, type ForecastOptions } from '../../../core/plan/requests/forecast.ts';
import type { Leg } from '../../../core/rate-limit/estimate.ts';
import { renderPlanGithub } from '../../../core/plan/render/github.ts';
import type { RoutesShown } from '../../../core/plan/render/render-routes.ts';
import { planRoutes } from '../../../core/plan/routes/routes.ts';
import type { RoutesInput } from '../../../core/plan/routes/sides.ts';
import { renderPlanMarkdown } from '../../../core/plan/render/markdown.ts';
import { markdownText } from '../../../core/plan/render/markdown-text.ts';
import {
  firstRequestsOf,
  type BatchSupport,
  type StageRequests,
} from '../../../core/plan/requests/requests.ts';
import { sealPlan, type SavedPlan } from '../../../core/plan/document/saved.ts';
import { renderPlan, type PlanTextOptions } from '../../../core/plan/render/render-text.ts';
import type { Decision } from '../../../engine/decide.ts';
import type { Planned } from '../../../engine/plan-once.ts';
import type { CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { OutputStream } from '../../process/standard-output.ts';
import { columnsOf, sha256 } from '../output.ts';
import { disclosureFor, type Session } from '../../input/session.ts';
import { styleFor } from '../paint.ts';

export interface ShownPlan {
  /** Plan that runs, or would run. */
  readonly plan: Plan;
  readonly planned: Planned;
  readonly requests: readonly StageRequests[];
  /** The mail that the plan changes, by the email logs. Absent if the plan was not weighed. */
  readonly weighed?: WeighedPlan | undefined;
}

/** Returns the plan as decided, or the whole plan if nothing runs. */
export function shownPlan(decision: Decision, planned: Planned): ShownPlan {
  if (decision.kind === 'go') return { planned, plan: decision.plan, requests: decision.requests };
  return { planned, plan: planned.plan, requests: firstRequestsOf(planned.plan) };
}

/** Returns the document of a plan with what may be shown, its digest and its seal. All formats but text render it. */
export function documentOf(context: Context, session: Session, shown: ShownPlan): SavedPlan {
  const { manifest } = shown.plan;
  const plan = { ...shown.plan, manifest: { ...manifest, digest: manifestDigest(session, manifest) } };
  const { hmac } = session.client;
  const document = planDocument(plan, {
    ...contentsOptions(context, session, shown),
    digest: approvalDigest(shown.planned, hmac),
  });
  return sealPlan(document, { sha256, hmac });
}

/** Returns the contents of a plan for the text format. */
export function contentsOf(context: Context, session: Session, shown: ShownPlan): PlanContents {
  return planContents(shown.plan, contentsOptions(context, session, shown));
}

function contentsOptions(context: Context, session: Session, shown: ShownPlan): PlanContentsOptions {
  return {
    forecast: forecastOf(context, session, shown, { batches: 'allowed' }),
    createdAt: context.clock.now(),
    disclosure: disclosureFor(session, shown.planned),
    options: session.options,
    ...(session.skipped === undefined ? {} : { skipped: session.skipped }),
    routes: planRoutes(routesInput(shown)),
    weighed: shown.weighed,
  };
}

/** Returns the input that whose mail changes is computed from. */
export function routesInput({ planned, plan }: Pick<ShownPlan, 'planned' | 'plan'>): RoutesInput {
  return { ...planned.input, ...plan };
}

/** Returns the keyed digest of a manifest. Without the key, it cannot be used to guess the values of references. */
export function manifestDigest(
  { client }: Pick<Session, 'client'>,
  { digest }: { readonly digest: string },
): string {
  return `sha256:${client.hmac(digest)}`;
}

/**
 * Returns a plan in the format of the command. `github` also writes the summary of the step, if the environment names
 * its file.
 */
export async function formatPlan(
  context: Context,
  plan: SavedPlan,
  how: PlanPrinting,
): Promise<Pick<CommandResult, 'document' | 'text'>> {
  switch (context.format) {
    case 'json':
      return { document: plan };
    case 'markdown':
      return { text: markdownOf(context, plan, how.routes) };
    case 'github':
      await writeStepSummary(context, markdownOf(context, plan, how.routes));
      return { text: renderPlanGithub(plan) };
    default:
      return { text: planText(context, plan, context.stdout, how) };
  }
}

/** Returns a plan as Markdown. One of many accounts has its name as a heading. */
function markdownOf({ member }: Context, plan: SavedPlan, routes: RoutesShown = 'first'): string {
  const heading = member === undefined ? '' : `## ${markdownText(member.name)}\n\n`;
  return `${heading}${renderPlanMarkdown(plan, routes)}`;
}

/** Appends to the step summary. All steps of a job share one file. */
async function writeStepSummary(context: Context, markdown: string): Promise<void> {
  const file = context.env['GITHUB_STEP_SUMMARY'];
  if (!file) return;
  await appendFile(file, markdown).catch((error: NodeJS.ErrnoException) =>
    context.ending?.noteOutputError(error, 'the summary of the step (GITHUB_STEP_SUMMARY)'),
  );
}

/** Parts of a plan that people are shown. */
export type PlanPrinting = Partial<Pick<PlanTextOptions, 'extent' | 'next' | 'routes'>>;

/** Returns the plan for people, painted for the stream that the command's text goes to. */
export function planText(
  { color, member }: Pick<Context, 'color' | 'member'>,
  plan: PlanContents,
  stream: OutputStream,
  { extent = 'all', routes = 'first', next = null }: PlanPrinting = {},
): string {
  const style = styleFor(stream, color);
  // For many accounts, the next step is printed once.
  const step = member === undefined ? next : null;
  return renderPlan(plan, { style, columns: columnsOf(stream), extent, routes, next: step });
}

/** Forecasts these requests from what is currently known of batches and budgets. */
export function forecastOf(
  context: Context,
  session: Pick<Session, 'client' | 'openedAt'>,
  { planned, requests }: Omit<ShownPlan, 'plan'>,
  support: BatchSupport,
): Forecast {
  return forecast(requests, forecastOptions(context, session, planned, support));
}

/** Returns the work that the forecast sums up. */
export function legsOf(
  context: Context,
  session: Pick<Session, 'client' | 'openedAt'>,
  { planned, requests }: Omit<ShownPlan, 'plan'>,
  support: BatchSupport,
): readonly Leg[] {
  return plannedWork(requests, forecastOptions(context, session, planned, support)).legs;
}

function forecastOptions(
  context: Context,
  { client, openedAt }: Pick<Session, 'client' | 'openedAt'>,
  planned: Planned,
  support: BatchSupport,
): ForecastOptions {
  return {
    version: client.version,
    ...support,
    observed: planned.input.observed,
    desired: planned.input.desired,
    prior: planned.input.prior,
    budgets: client.knownBudgets(),
    monotonic: context.clock.monotonic(),
    now: context.clock.now(),
    latency: client.latencyMs(),
    reading: {
      requests: client.totals().total,
      seconds: Math.max(0, Math.round((planned.input.now - openedAt) / 100) / 10),
    },
  };
}
