import type { Context } from './context.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';
import { PLAN_FORMATS } from './formats.ts';
import { printPlan } from './print-plan.ts';
import { readSavedPlan } from './saved-plan.ts';
import { resolveFormat, type CommonOptions } from './settings.ts';
import { styleFor } from './style.ts';

/** Prints a saved plan in any format, offline; one that was edited is shown as what it now says, with a warning. */
export async function showCommand(
  context: Context,
  options: CommonOptions,
  [path]: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, PLAN_FORMATS);
  if (path === undefined)
    throw new CommandError(EXIT.usage, 'no plan is named', 'name the file of a saved plan');
  const { kind, plan } = await readSavedPlan(context, path);
  if (kind === 'edited') {
    const warning = styleFor(context.stderr, options.color, context.env).warning('warning');
    context.stderr.write(`${warning}: ${path} was edited since it was made: apply will not take it\n`);
  }
  await printPlan(context, plan, { format, color: options.color });
  return EXIT.done;
}
