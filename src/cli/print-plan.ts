import type { Disclosure } from '../model/disclosure.ts';
import type { Forecast, Plan } from '../model/plan.ts';
import { planDigest } from '../plan/digest.ts';
import { planDocument } from '../plan/document.ts';
import { forecast } from '../plan/forecast.ts';
import { renderPlan } from '../plan/text.ts';
import type { Planned } from '../reconcile/plan-once.ts';
import type { Context, OutputStream } from './context.ts';
import { printJson, sha256 } from './output.ts';
import type { Session } from './session.ts';
import { styleFor } from './style.ts';

export interface ShownPlan {
  /** What runs, or would run. */
  readonly plan: Plan;
  readonly planned: Planned;
}

/** The plan for people, on the stream that the command's text goes to. */
export function printPlanText(
  context: Context,
  session: Session,
  shown: ShownPlan,
  { stream, color }: { readonly stream: OutputStream; readonly color: string | undefined },
): void {
  const text = renderPlan(shown.plan, {
    forecast: forecastOf(context, session, shown, 'allowed'),
    disclosure: session.disclosure,
    style: styleFor(stream, color, context.env),
    columns: stream.columns ?? 80,
  });
  stream.write(text);
}

/** `fwdsync/plan@1` on standard output. */
export function printPlanDocument(context: Context, session: Session, shown: ShownPlan): void {
  printJson(context, documentOf(context, session, shown, session.disclosure));
}

function documentOf(context: Context, session: Session, shown: ShownPlan, disclosure: Disclosure): object {
  return planDocument(shown.plan, {
    forecast: forecastOf(context, session, shown, 'allowed'),
    createdAt: context.clock.now(),
    digest: planDigest(shown.plan, sha256),
    disclosure,
  });
}

/** What carrying the plan out takes, from what is known of the budgets by now. */
export function forecastOf(
  context: Context,
  { client }: Pick<Session, 'client'>,
  { plan, planned }: ShownPlan,
  batches: 'allowed' | 'refused',
): Forecast {
  return forecast(plan, {
    version: client.version,
    batches,
    observed: planned.input.observed,
    desired: planned.input.desired,
    budgets: client.budgets(),
    monotonic: context.clock.monotonic(),
    now: context.clock.now(),
  });
}
