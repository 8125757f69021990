import type { ResolvePassword } from './apply/send/passwords.ts';
import { systemProcesses } from './state/processes.ts';
import { openStateDirectory, type StateDirectoryOptions } from './state/directory.ts';
import type { Client } from '../client/client.ts';
import { exportDocument, type ExportOptions } from '../core/manifest/write/export.ts';
import { writeManifest } from '../core/manifest/write/manifest-yaml.ts';
import type { Clock } from '../core/model/clock.ts';
import { createRunId } from '../core/model/history/entries.ts';
import type { Desired } from '../core/model/desired.ts';
import type { Observed } from '../core/model/observed.ts';
import type { Plan } from '../core/model/plan.ts';
import { allowancesInForce, type Policy } from '../core/plan/policy.ts';
import { manifestSize } from '../core/plan/size.ts';
import { decide } from './decide.ts';
import { reconcileOnce, type Once } from './once.ts';

/** Options of `applyManifest`. */
export interface ApplyOptions {
  /** Client that reads and writes; its mode is `read-write`. */
  readonly client: Client;
  /** Result of `loadManifest`, with its references resolved. */
  readonly desired: Desired;
  /** Default: `defaultPolicy`, which allows what the manifest allows and never deletes a domain. */
  readonly policy?: Policy;
  /** Directory for snapshots, reports and the last applied state. Without a snapshot nothing is written. */
  readonly stateDirectory: string;
  /** File system, for example `node:fs/promises`. */
  readonly fs: StateDirectoryOptions['fs'] & Parameters<typeof systemProcesses>[0];
  readonly clock: Clock;
  /**
   * Calls a function at an interval and returns a function that stops it. A waiting run uses it to keep its lock.
   * Without it, another process may take the lock of a run that sends nothing for a minute; that run then stops
   * before its next write.
   */
  readonly every?: StateDirectoryOptions['every'];
  /** Once aborted, no new request is sent. */
  readonly signal?: AbortSignal;
  /** Returns true if this plan may run. Called only for a plan that changes something and that no guard refuses. */
  readonly approve: (plan: Plan) => boolean | Promise<boolean>;
  readonly resolvePassword: ResolvePassword;
}

/**
 * Returns the manifest's guards and allowances, without deletion of domains. `account` is the email that must answer;
 * null means any.
 */
export function defaultPolicy(
  desired: Desired,
  { account, now }: { account: string | null; now: number },
): Policy {
  return {
    guards: desired.guards,
    allowances: allowancesInForce(desired.guards, now),
    account,
    accountRequired: false,
    rotate: [],
    domainDeletes: 'never',
  };
}

/**
 * Reads the account, plans, asks, applies and verifies. Never throws because of the service. `unread`, `locked`,
 * `not-run` and `fault` wrote nothing; `applied` has the report.
 */
export async function applyManifest(options: ApplyOptions): Promise<Once> {
  const { client, desired, clock, fs } = options;
  const account = desired.api.account ?? null;
  const policy = options.policy ?? defaultPolicy(desired, { account, now: clock.now() });
  const processes = systemProcesses(fs, 'library');
  const { host } = processes;
  // One run at a time holds the lock.
  const run = createRunId({ now: clock.now(), random: 0 });
  const origin = { run, command: 'library', host, user: null, actor: null } as const;
  const request = { desired, manifestSize: manifestSize(desired), policy, origin, maxFailures: null };
  return reconcileOnce(request, {
    client,
    clock,
    signal: options.signal,
    resolvePassword: options.resolvePassword,
    openState: (email) =>
      openStateDirectory({
        directory: options.stateDirectory,
        account: email,
        apiUrl: client.url,
        fs,
        clock,
        processes,
        every: options.every,
      }),
    approve: async (planned) => {
      const decision = decide(planned.plan, 'end-the-run');
      if (decision.kind !== 'go' || decision.plan.changes.length === 0) return { decision, planned };
      const approved = await options.approve(decision.plan);
      return { decision: approved ? decision : { kind: 'declined' }, planned };
    },
  });
}

/** Returns a live account as the text of a manifest whose plan is empty. */
export function exportManifest(observed: Observed, options: ExportOptions): string {
  return writeManifest(exportDocument(observed, options));
}
