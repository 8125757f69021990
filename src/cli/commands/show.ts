import { hmacWith } from '../../client/http/hmac.ts';
import { isSealedBy, type SavedPlan } from '../../core/plan/document/saved.ts';
import { maskedPlan } from '../../core/plan/document/masked.ts';
import { runsInPart } from '../../core/plan/render/totals.ts';
import { isRefused } from '../../core/plan/withhold.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, commandFailure } from '../exit.ts';
import { PLAN_FORMATS } from '../output/formats.ts';
import { applySaved, nextOf } from '../output/plan/next-command.ts';
import { maskOf } from '../output/output.ts';
import { printPlan } from '../output/plan/print-plan.ts';
import { lookUpKey } from '../input/references/references.ts';
import { readSavedPlan } from '../output/plan/saved-plan.ts';
import { resolveFormat, type CommonOptions } from '../settings.ts';

/**
 * Prints a saved plan in any format, offline. One that was edited is not printed: by its checksum, and by its seal where
 * the environment has the key.
 */
export async function showCommand(
  context: Context,
  options: CommonOptions,
  [path = '']: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, PLAN_FORMATS);
  const read = await readSavedPlan(context, path);
  if (read.kind === 'edited' || !(await isSealFitting(context, read.plan))) {
    throw commandFailure(
      `${path} was edited since it was made, or made with another API key; nothing of it is shown`,
      'make the plan again with plan --out',
    );
  }
  const mask = maskOf(options, context);
  const plan = mask === false ? read.plan : maskedPlan(read.plan, mask);
  const applies = plan.changes.length > 0 && plan.problems.length === 0;
  const runs = applies && (!isRefused(plan) || runsInPart(plan));
  const next = nextOf(context, runs ? applySaved(context, path) : null);
  await printPlan(context, plan, { format, color: options.color, next });
  return EXIT.done;
}

/** Of one of many accounts the seal was checked where its key is known. */
async function isSealFitting(context: Context, plan: SavedPlan): Promise<boolean> {
  const key = context.ofAccount === undefined ? await lookUpKey({}, context) : null;
  return key === null || isSealedBy(plan, hmacWith(key));
}
