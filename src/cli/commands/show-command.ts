import { hmacWith } from '../../client/http/hmac.ts';
import { isSealedBy, type SavedPlan } from '../../core/plan/document/saved.ts';
import { maskedPlan } from '../../core/plan/document/masked.ts';
import { runsInPart } from '../../core/plan/render/totals.ts';
import { isRefused } from '../../core/plan/withhold.ts';
import type { Context } from '../context.ts';
import type { CommandCall, CommandResult } from '../command.ts';
import { EXIT, commandFailure } from '../exit.ts';
import { applySaved } from '../output/plan/next-command.ts';
import { formatPlan } from '../output/plan/print-plan.ts';
import { lookUpKey } from '../input/references/references.ts';
import { readSavedPlan } from '../output/plan/saved-plan.ts';

/**
 * Prints a saved plan in any format, offline. An edited plan is not printed. Edits show in its checksum and, if the
 * environment has the key, in its seal.
 */
export async function showCommand(
  context: Context,
  { args: [path = ''] }: CommandCall,
): Promise<CommandResult> {
  const read = await readSavedPlan(context, path);
  if (read.kind === 'edited' || !(await isSealFitting(context, read.plan))) {
    throw commandFailure(
      `${path} was edited since it was made, or made with another API key; nothing of it is shown`,
      'make the plan again with plan --out',
    );
  }
  const { mask } = context;
  const plan = mask === false ? read.plan : maskedPlan(read.plan, mask);
  const applies = plan.changes.length > 0 && plan.problems.length === 0;
  const canApply = applies && (!isRefused(plan) || runsInPart(plan));
  const next = canApply ? applySaved(context, path) : null;
  return { exit: EXIT.done, ...(await formatPlan(context, plan, { next })), canApply };
}

/**
 * True if the seal fits, or cannot be checked. For one of many accounts it was checked before, if its key is known.
 */
async function isSealFitting(context: Context, plan: SavedPlan): Promise<boolean> {
  const key = context.member === undefined ? await lookUpKey({}, context) : null;
  return key === null || isSealedBy(plan, hmacWith(key));
}
