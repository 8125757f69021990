import { createClient } from '../../../../src/client/create.ts';
import { createPolicy } from '../../../../src/cli/input/run-policy.ts';
import { createEmulator } from '../../../../src/emulator/emulator.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import { createRunId, type RunEntry } from '../../../../src/core/model/history/entries.ts';
import { manifestSize } from '../../../../src/core/plan/size.ts';
import { goAhead } from '../../../../src/engine/decide.ts';
import { createDriftLog, driftOf } from '../../../../src/engine/drift-log.ts';
import { reconcileOnce, type OnceRequest } from '../../../../src/engine/once.ts';
import { planOnce } from '../../../../src/engine/plan-once.ts';
import { openStateDirectory } from '../../../../src/engine/state/directory.ts';
import { undoRequest } from '../../../../src/engine/undo/undo-request.ts';
import { readRuns } from '../../../../src/engine/state/history/recorded.ts';
import type { HistoryStore } from '../../../../src/engine/state/store.ts';
import { memoryDisk } from '../../../simulation/support/disk.ts';
import { processTable } from '../../../simulation/support/process.ts';
import { API_KEY, EMAIL } from '../../../support/account.ts';
import { byHand } from '../../../support/by-hand.ts';
import { virtualClock } from '../../../support/clock.ts';
import { inProcess } from '../../../support/in-process.ts';
import { TEST_ORIGIN } from '../../../support/origin.ts';

export const DOMAIN = 'acme.example' as DomainName;
/** Aliases by name, each with one destination. */
export type Aliases = Readonly<Record<string, string>>;

export interface Lost {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly when: 'before' | 'after';
}

/** An account that runs and other users change, with a disk in memory and in virtual time. */
export interface ChangedWorld {
  readonly live: () => Aliases;
  /** Applies a manifest with only these aliases. The first request of a method, or its answer, may be lost. */
  readonly apply: (aliases: Aliases, lost: Lost | null) => Promise<string>;
  /** Undoes the last run that wrote; null means that there is none. */
  readonly undo: () => Promise<string | null>;
  /** Checks for drift from a manifest with these aliases, each time in a new process. */
  readonly observe: (aliases: Aliases) => Promise<string>;
  /** Another user changes an alias; null deletes it. */
  readonly edit: (name: string, forward: string | null) => Promise<void>;
  readonly history: () => HistoryStore;
}

export function changedWorld(names: readonly string[]): ChangedWorld {
  const clock = virtualClock();
  const disk = memoryDisk().fs;
  const core = createEmulator({
    apiKey: API_KEY,
    plan: 'paid',
    state: { account: { email: EMAIL }, domains: [{ domain: DOMAIN }] },
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: () => '00000000-0000-4000-8000-000000000000',
  });
  const url = 'http://127.0.0.1:1/v4';
  const openState = () =>
    openStateDirectory({
      directory: '/state',
      account: EMAIL,
      apiUrl: url,
      fs: disk,
      clock,
      processes: processTable({ id: 1, isAlive: true }, clock),
    });
  const prepare = (aliases: Aliases) => {
    const { desired, problems } = loadManifest([{ file: 'fwdsync.yaml', text: manifestOf(aliases) }], {
      references: 'required',
      resolve: () => null,
      apiVersion: 'v4',
    });
    if (desired === null) throw new Error(JSON.stringify(problems));
    const dispatcher = inProcess(core);
    const client = createClient({
      url,
      version: 'v4',
      key: API_KEY,
      mode: 'read-write',
      clock,
      random: () => 0.5,
      dispatcher,
    });
    const policy = createPolicy(
      desired,
      { allowUnrouted: names.map((name) => `${name}@${DOMAIN}`) },
      { account: EMAIL, accountRequired: false, domainDeletes: 'never', now: clock.now() },
    );
    const ports = { client, clock, openState, resolvePassword: () => null };
    return { request: { desired, manifestSize: manifestSize(desired), policy }, ports };
  };
  const live = (): Aliases => {
    const domain = core.store.dump().domains.find((one) => one.domain === DOMAIN);
    return Object.fromEntries((domain?.aliases ?? []).map(({ alias, forward }) => [alias, forward]));
  };
  const originNow = () => ({ ...TEST_ORIGIN, run: createRunId({ now: clock.now(), random: 0 }) });
  const lastRun = async (): Promise<RunEntry | null> => {
    for await (const { start } of readRuns(openState().history)) return start;
    return null;
  };
  const reconcile = async (
    request: Omit<OnceRequest, 'maxFailures'>,
    ports: ReturnType<typeof prepare>['ports'],
  ): Promise<string> => {
    const once = await reconcileOnce(
      { ...request, maxFailures: null },
      {
        ...ports,
        // This proof is not about guards.
        approve: async (planned) => ({ decision: goAhead(planned.plan, []), planned }),
      },
    );
    core.faults.clear();
    return once.kind === 'applied'
      ? once.report.outcome
      : `${once.kind} ${JSON.stringify(once).slice(0, 2000)}`;
  };
  return {
    live,
    async apply(aliases, lost) {
      clock.advance(1_000);
      const { request, ports } = prepare(aliases);
      if (lost !== null) {
        const { method, when } = lost;
        core.faults.push({ match: { path: '/aliases', method }, do: { kind: 'drop', when } });
      }
      return reconcile({ ...request, origin: originNow() }, ports);
    },
    async undo() {
      clock.advance(1_000);
      const last = await lastRun();
      if (last === null) return null;
      const { request, ports } = prepare({ keep: 'k@corp.example' });
      const undo = await undoRequest(openState(), last, { allowances: request.policy.allowances });
      const origin = { ...originNow(), command: 'undo', undoes: last.run } as const;
      return reconcile({ ...undo, origin, newcomers: 'left' }, ports);
    },
    async observe(aliases) {
      clock.advance(1_000);
      const { request, ports } = prepare(aliases);
      const planned = await planOnce(request, ports);
      if (!planned.ok) throw new Error(planned.error.message);
      await createDriftLog().found(openState(), planned.value, driftOf(planned.value.plan, new Set()));
      return new Date(planned.value.input.now).toISOString();
    },
    async edit(name, forward) {
      const domain = core.store.dump().domains.find((one) => one.domain === DOMAIN);
      const id = domain?.aliases.find(({ alias }) => alias === name)?.id;
      const path = `/v4/domains/${DOMAIN}/aliases/${id}`;
      await (forward === null ? byHand(core, 'DELETE', path) : byHand(core, 'PUT', path, { forward }));
    },
    history: () => openState().history,
  };
}

function manifestOf(aliases: Aliases): string {
  const entries = Object.entries(aliases).map(([name, forward]) => `      ${name}: ${forward}\n`);
  const guards = 'guards: { max_deletes: 100, max_delete_percent: 100 }';
  return `version: 1\n${guards}\ndomains:\n  ${DOMAIN}:\n    prune: true\n    aliases:\n${entries.join('')}`;
}
