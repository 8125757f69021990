import { succeed } from '../../../core/model/result.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import { createDriftLog } from '../../../engine/drift-log.ts';
import { makeSingleRun } from '../../../service/account/single-run.ts';
import { requestEvent } from '../../../service/log/event-log.ts';
import type { CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { openSession } from '../../input/session.ts';
import { readCommit, runOrigin } from '../../origin.ts';
import type { Settings } from '../../settings/resolve-settings.ts';
import type { RunSettings } from './run-options.ts';
import { endOfRun } from './unattended-end.ts';

/**
 * Makes one run of the whole account, in the log as a run of the daemon. It ends as `apply --yes` does; in observe mode nothing
 * is written, and a difference is the exit code of changes.
 */
export async function runOnce(
  context: Context,
  settings: Settings,
  { mode, emit }: Pick<RunSettings, 'mode'> & { readonly emit: (event: DaemonEvent) => void },
): Promise<CommandResult> {
  const name = context.member?.name ?? 'default';
  const own: Context = { ...context, onRequest: (event) => emit(requestEvent(name, event)) };
  const session = await openSession(own, settings, {
    command: 'run',
    mode: mode === 'apply' ? 'read-write' : 'read-only',
    stance: { accountRequired: true, domainDeletes: 'never' },
    warnings: 'silent',
  });
  const { client, request, problems, ports } = session;
  const { desired, manifestSize: size, policy } = request;
  const { openState, resolvePassword } = ports;
  const { clock, random, signal } = context;
  try {
    const result = await makeSingleRun(
      { name, mode, manifest: { kind: 'good', desired, size, problems }, request },
      {
        clock,
        random,
        signal,
        emit,
        origin: runOrigin(context, 'run'),
        driftLog: createDriftLog(),
        resolvePassword,
        readCommit: () => readCommit(context, settings.manifest.paths),
        access: () => Promise.resolve(succeed({ client, policy, openState })),
      },
    );
    const { exit, error, wrote } = endOfRun(result, mode, context);
    if (error !== null) throw error;
    return { exit, wrote };
  } finally {
    session.progress.stop();
    await client.close();
  }
}
