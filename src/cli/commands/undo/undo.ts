import type { RunEntry } from '../../../core/model/history/entries.ts';
import { reconcileOnce } from '../../../engine/once.ts';
import { undoRequest } from '../../../engine/undo/undo-request.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError, type ExitCode } from '../../exit.ts';
import { ownApi } from '../../input/manifest/desired.ts';
import { runOrigin } from '../../origin.ts';
import { parseAllowances, type AllowanceOptions } from '../../input/policy.ts';
import { referenceReader } from '../../input/references/references.ts';
import { connectSession, type Session } from '../../input/session.ts';
import { openStates } from '../../input/state/state.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { disclosureOf } from '../../output/output.ts';
import { resolveConnection, resolveFormat, type CommonOptions } from '../../settings.ts';
import { approveByUser, canAsk } from '../apply/approve.ts';
import { concludeRun } from '../apply/conclude.ts';
import { approvingPorts } from '../apply/follow-run.ts';
import { findUndoable } from './find-undoable.ts';
import { showUndo } from './show-undo.ts';

export interface UndoFlags
  extends CommonOptions, Pick<AllowanceOptions, 'allowUnrouted' | 'allowDomainDelete'> {
  readonly yes?: true;
}

/**
 * Shows the plan that reverses a run, by default the last that wrote, asks, applies it and verifies. What somebody changed since
 * is left alone; where that is all, nothing is written and the command ends with 6.
 */
export async function undoCommand(
  context: Context,
  options: UndoFlags,
  [name]: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  assertAnswerable(context, options, name);
  const api = await ownApi(context, options);
  const connection = await resolveConnection(options, api, context);
  const run = await findUndoable(context, options, { connection, name });
  if (run === null) return EXIT.done;
  const session = await openUndo(context, options, { connection, run, api });
  try {
    const origin = { ...runOrigin(context, 'undo'), undoes: run.run };
    const request = { ...session.request, origin, maxFailures: null, newcomers: 'left' } as const;
    const show = showUndo(context, options, session, { format, run });
    const ports = approvingPorts(context, session, (planned) =>
      approveByUser(context, options, planned, { refusals: 'end-the-run', show }),
    );
    const once = await reconcileOnce(request, ports);
    session.progress.stop();
    return concludeRun(context, options, session, { once, format });
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

function assertAnswerable(context: Context, { yes }: UndoFlags, run: string | undefined): void {
  if (yes === true && run === undefined) {
    throw usageError('--yes needs the run that is to be undone', 'name it: fwdsync undo --yes RUN');
  }
  if (yes === true || canAsk(context)) return;
  throw usageError('cannot prompt: not a terminal', 'use --yes, and name the run: fwdsync undo --yes RUN');
}

async function openUndo(
  context: Context,
  options: UndoFlags,
  { connection, run, api }: Pick<Session, 'connection' | 'api'> & { readonly run: RunEntry },
): Promise<Session> {
  // No reference may stand for a secret of the operator.
  await referenceReader(context)({ keys: [], others: [] });
  const openState = await openStates(context, options, 'undo');
  const allowances = parseAllowances(options);
  const request = await undoRequest(openState(connection, run.account), run, allowances);
  const { desired } = request;
  const opened = await connectSession(context, options, {
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
    disclosure: disclosureOf(desired, options, context),
    options: { paths: [], domains: null },
  };
}
