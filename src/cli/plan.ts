import { observe } from '../api/observe.ts';
import type { Client } from '../api/client.ts';
import type { Desired } from '../model/desired.ts';
import type { Observed } from '../model/observed.ts';
import type { Plan } from '../model/plan.ts';
import type { Prior } from '../model/prior.ts';
import { planDigest } from '../plan/digest.ts';
import { planDocument } from '../plan/document.ts';
import { forecast } from '../plan/forecast.ts';
import { makePlan } from '../plan/plan.ts';
import type { Policy } from '../plan/policy.ts';
import { renderPlan } from '../plan/text.ts';
import { isRefused } from '../plan/withhold.ts';
import { apiFailure, connect } from './connect.ts';
import type { Context } from './context.ts';
import { requireDesired, type RequiredDesired } from './desired.ts';
import { EXIT, strongestExit, type ExitCode } from './exit.ts';
import { disclosureOf, printJson, sha256 } from './output.ts';
import { createPolicy, type AllowanceOptions } from './policy.ts';
import { createProgress } from './progress.ts';
import { resolveConnection, resolveFormat, type CommonOptions } from './settings.ts';
import { openState } from './state.ts';
import { styleFor } from './style.ts';

export interface PlanOptions extends CommonOptions, AllowanceOptions {
  readonly detailedExitcode?: true;
  readonly skipRefused?: true;
}

/** Shows what apply would do; the client cannot send anything but GET. */
export async function planCommand(context: Context, options: PlanOptions): Promise<ExitCode> {
  const format = resolveFormat(options, context, ['text', 'json']);
  const manifest = await requireDesired(context, options);
  const { desired } = manifest;
  const connection = resolveConnection(options, desired.api, context);
  const client = connect(context, connection, 'read-only');
  try {
    const observed = await observeAccount(context, client, desired);
    const state = openState(context, options, connection, observed.account.email, 'plan');
    const { prior } = await state.prior(desired.files);
    const policy = createPolicy(desired, options, {
      account: connection.account,
      accountRequired: false,
      domainDeletes: 'allowed',
      now: context.clock.now(),
    });
    const plan = planFor(context, client, manifest, { observed, policy, prior });
    printPlan(context, options, client, { plan, observed, desired, format });
    return planExit(plan, options);
  } finally {
    await client.close();
  }
}

/** A complete reading of the account, with progress on standard error; ends the command when it cannot be proven. */
export async function observeAccount(context: Context, client: Client, desired: Desired): Promise<Observed> {
  const progress = createProgress(context);
  const observed = await observe(client, {
    desired,
    clock: context.clock,
    onProgress: (done, total) => progress.update('reading domains', done, total),
  });
  progress.stop();
  if (!observed.ok) throw apiFailure(observed.error);
  return observed.value;
}

function planFor(
  context: Context,
  client: Client,
  { desired, size }: RequiredDesired,
  { observed, policy, prior }: { observed: Observed; policy: Policy; prior: Prior },
): Plan {
  const api = { url: client.url, version: client.version };
  return makePlan({ desired, observed, policy, prior, now: context.clock.now(), api, manifestSize: size });
}

export interface PrintedPlan {
  readonly plan: Plan;
  readonly observed: Observed;
  readonly desired: Desired;
  readonly format: 'text' | 'json';
}

/** Problems that only a reading of the account shows go to standard error, the plan to standard output. */
export function printPlan(
  context: Context,
  options: CommonOptions,
  client: Client,
  { plan, observed, desired, format }: PrintedPlan,
): void {
  const disclosure = disclosureOf(desired, options, context);
  const expected = forecast(plan, {
    version: client.version,
    batches: 'allowed',
    observed,
    desired,
    budgets: client.budgets(),
    monotonic: context.clock.monotonic(),
    now: context.clock.now(),
  });
  if (format === 'json') {
    const digest = planDigest(plan, sha256);
    printJson(
      context,
      planDocument(plan, { forecast: expected, createdAt: context.clock.now(), digest, disclosure }),
    );
    return;
  }
  const style = styleFor(context.stdout, options.color, context.env);
  context.stdout.write(
    renderPlan(plan, { forecast: expected, disclosure, style, columns: context.stdout.columns ?? 80 }),
  );
}

/** 5 for problems, 4 for guards, 1 for what could not be read, 2 for changes when asked. */
export function planExit(plan: Plan, options: PlanOptions): ExitCode {
  const unproven = plan.withheld.some(({ cause }) => cause === 'unproven');
  return strongestExit([
    ...(plan.problems.length > 0 ? [EXIT.invalid] : []),
    ...(isRefused(plan) ? [EXIT.refused] : []),
    ...(unproven && options.skipRefused !== true ? [EXIT.failed] : []),
    ...(options.detailedExitcode === true && plan.changes.length > 0 ? [EXIT.changes] : []),
  ]);
}
