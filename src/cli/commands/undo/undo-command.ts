import type { RunEntry } from '../../../core/model/history/entries.ts';
import { reconcileOnce } from '../../../engine/once.ts';
import { undoRequest } from '../../../engine/undo/undo-request.ts';
import type { Context } from '../../context.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import { EXIT, usageError } from '../../exit.ts';
import { ownApi } from '../../input/manifest/desired.ts';
import { runOrigin } from '../../origin.ts';
import { parseAllowances } from '../../input/run-policy.ts';
import { referenceReader } from '../../input/references/references.ts';
import { connectSession, type Session } from '../../input/session.ts';
import { openStates } from '../../input/state/open-states.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import { commandLine } from '../../output/command-lines.ts';
import { resolveConnection } from '../../settings/connection.ts';
import type { Allowances } from '../../settings/flags.ts';
import type { StateSettings } from '../../settings/resolve-settings.ts';
import { canAsk } from '../../input/questioner.ts';
import { approveByUser } from '../apply/approve.ts';
import { concludeRun } from '../apply/conclude.ts';
import { approvingPorts } from '../apply/follow-run.ts';
import { findUndoable } from './find-undoable.ts';
import { showUndo } from './show-undo.ts';

export interface UndoOptions extends Pick<Allowances, 'allowUnrouted' | 'allowDomainDelete'> {
  readonly yes?: true;
}

/**
 * Shows the plan that reverses a run, by default the last run that wrote. Then asks, applies the plan and verifies.
 * Items changed since are left alone. If all of them were, nothing is written and the command ends with 6.
 */
export async function undoCommand(
  context: Context,
  { settings, options, args: [name] }: CommandCall<UndoOptions>,
): Promise<CommandResult> {
  assertAnswerable(context, options, name);
  const api = await ownApi(context, settings.manifest);
  const connection = await resolveConnection(context, settings, api);
  const run = await findUndoable(context, settings, { connection, name });
  if (run === null) return { exit: EXIT.done, verdict: 'nothing to undo' };
  const session = await openUndo(context, settings.state, { connection, run, api, options });
  try {
    const origin = { ...runOrigin(context, 'undo'), undoes: run.run };
    const request = { ...session.request, origin, maxFailures: null, newcomers: 'left' } as const;
    const show = showUndo(context, session, run, options);
    const ports = approvingPorts(context, session, (planned) =>
      approveByUser(context, options, planned, { refusals: 'end-the-run', show }),
    );
    const once = await reconcileOnce(request, ports);
    session.progress.stop();
    return concludeRun(context, settings, session, once);
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

function assertAnswerable(context: Context, { yes }: UndoOptions, run: string | undefined): void {
  const command = commandLine(context);
  if (yes === true && run === undefined)
    throw usageError('--yes needs the run to undo', `name it; \`${command('history')}\` lists the runs`);
  if (yes === true || canAsk(context)) return;
  throw usageError(
    'cannot prompt: not a terminal',
    run === undefined
      ? `use --yes, and name a run that \`${command('history')}\` lists`
      : `use --yes: \`${command(`undo --yes ${quoteForShell(run)}`)}\``,
  );
}

async function openUndo(
  context: Context,
  state: StateSettings,
  {
    connection,
    run,
    api,
    options,
  }: Pick<Session, 'connection' | 'api'> & { readonly run: RunEntry; readonly options: UndoOptions },
): Promise<Session> {
  // No reference may stand for a secret of the operator.
  await referenceReader(context)({ keys: [], others: [] });
  const openState = await openStates(context, state, 'undo');
  const request = await undoRequest(openState(connection, run.account), run, {
    allowances: parseAllowances(options),
    command: commandLine(context, api),
  });
  const { desired } = request;
  const opened = await connectSession(context, state, {
    connection,
    desired,
    command: 'undo',
    mode: 'read-write',
  });
  return {
    ...opened,
    api,
    request,
    counts: { files: 0, domains: 0, aliases: 0, rules: 0, silenced: 0 },
    problems: [],
    disclosure: { references: desired.references, mask: context.mask },
    options: { paths: [], domains: null },
  };
}
