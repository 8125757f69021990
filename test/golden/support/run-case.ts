import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dump } from '../../../src/emulator/account/dump.ts';
import type { Fault } from '../../../src/emulator/faults/faults.ts';
import type { JournalEntry } from '../../../src/emulator/http/journal.ts';
import { startEmulator, type Emulator } from '../../../src/emulator/http/server.ts';
import type { SavedPlan } from '../../../src/core/plan/document/saved.ts';
import { byHand } from '../../support/by-hand.ts';
import { virtualClock } from '../../support/clock.ts';
import type { GoldenCase, Version } from './case.ts';
import { runCommand, type CommandResult, type Terminal } from './cli.ts';
import { loadDesired } from './desired.ts';
import { renderAccount, renderRequests, renderSession } from './render.ts';
import { probesOf, routesOf, strayed } from './routes.ts';
import { undoAll, type Undoing } from './undo.ts';

export const KEY = 'golden-key';
const START = Date.parse('2026-01-15T12:00:00Z');
/** The name of a snapshot holds the emulator's port and a random part. */
const SNAPSHOT = /WORKSPACE\/state\/\S+\/snapshots\/\S+\.yaml/g;

/** Output and effects of the case's command lines, as they are stored. */
export interface CaseOutcome {
  readonly plan: CommandResult;
  /** The plan's document; null means no plan. */
  readonly planDocument: SavedPlan | null;
  readonly apply: CommandResult;
  /** The account before `apply` (and after the edits by hand), and after it. */
  readonly start: Dump;
  readonly end: Dump;
  /** Mails that would have been lost or sent to a wrong destination between the two. */
  readonly strayed: readonly string[];
  /** null if the case is not followed up. */
  readonly later: Later | null;
  /** The text of every file in the state directory, and of the saved plan. */
  readonly saved: readonly string[];
  /** Requests of `plan`, and of `apply`. */
  readonly planRequests: readonly JournalEntry[];
  readonly applyRequests: readonly JournalEntry[];
  /** Name of the stored file -> text. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Output of command lines after the run. */
export interface Later {
  /** `plan --detailed-exitcode` of the same manifest, also on the other generation, and of the account's own export. */
  readonly planAgain: CommandResult;
  readonly planOnOther: CommandResult;
  readonly exported: CommandResult;
  readonly planOfExport: CommandResult;
  /** null means that there was nothing to undo. */
  readonly undone: Undoing | null;
}

/** One case on one generation of the API. */
interface Stage {
  readonly golden: GoldenCase;
  readonly emulator: Emulator;
  readonly terminal: Terminal;
  /** A directory for the case, with the manifest in `work`, and `state`. */
  readonly workspace: string;
}

/** Runs a case. A followed case is also planned again, exported and undone. */
export async function runCase(
  golden: GoldenCase,
  version: Version,
  { isFollowed }: { readonly isFollowed: boolean },
): Promise<CaseOutcome> {
  const stage = await openStage(golden, version);
  try {
    await prepare(stage);
    const outcome = await carryOut(stage, version);
    return isFollowed ? { ...outcome, later: await follow(stage, version, outcome) } : outcome;
  } finally {
    await stage.emulator.close();
    rmSync(stage.workspace, { recursive: true, force: true });
  }
}

async function openStage(golden: GoldenCase, version: Version): Promise<Stage> {
  const { options, account } = golden;
  const workspace = mkdtempSync(join(tmpdir(), 'fwdsync-case-'));
  const clock = virtualClock(START, 20);
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    state: account,
    switches: options.switches,
    rateLimit: options.rateLimit,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: countingIds(),
    journalSize: 100_000,
  });
  const env = {
    FWDSYNC_API_URL: emulator.urls[version],
    FWDSYNC_API_KEY: KEY,
    FWDSYNC_STATE_DIR: join(workspace, 'state'),
    ...options.env,
  };
  return { golden, emulator, workspace, terminal: { cwd: join(workspace, 'work'), clock, env } };
}

/** Applies the earlier manifest from a file with the same name, makes the changes by hand, and writes the current manifest. */
async function prepare({ golden, terminal, emulator }: Stage): Promise<void> {
  const { directory, manifest, before, options } = golden;
  const place = join(terminal.cwd, manifest);
  if (before !== null) {
    cpSync(join(directory, before), place, { recursive: true });
    const earlier = await runCommand(['apply', '-f', manifest, '--yes'], terminal);
    if (earlier.exitCode !== 0)
      throw new Error(`the earlier run failed:\n${earlier.stdout}${earlier.stderr}`);
    rmSync(place, { recursive: true });
  }
  cpSync(join(directory, manifest), place, { recursive: true });
  for (const { method, path, body } of options.edits ?? []) await byHand(emulator, method, path, body);
}

async function carryOut(stage: Stage, version: Version): Promise<CaseOutcome> {
  const { golden, emulator, workspace, terminal } = stage;
  const { key, flags = [], faults = [], planFaults = [] } = golden.options;
  const armed = (list: readonly Fault[]): readonly Fault[] => list.map((fault) => asOn(version, fault));
  const typing = key === undefined ? terminal : withEnv(terminal, { FWDSYNC_API_KEY: key });
  const manifest = ['-f', golden.manifest];
  const start = emulator.store.dump();
  emulator.faults.push(...armed(planFaults));
  const planFile = join(workspace, 'plan.json');
  const asked = ['plan', ...manifest, ...flags, '--out', '../plan.json'];
  const [plan, planRequests] = await record(emulator, asked, typing);
  emulator.faults.push(...armed(faults));
  const watch = watchRoutes(stage, version);
  const [apply, applyRequests] = await record(emulator, ['apply', ...manifest, '--yes', ...flags], typing);
  emulator.faults.clear();
  const astray = watch.stop();
  const end = emulator.store.dump();
  const savedPlan = existsSync(planFile) ? readFileSync(planFile, 'utf8') : null;
  const saved = [...readSaved(join(workspace, 'state')), savedPlan ?? ''];
  return {
    plan,
    planDocument: savedPlan === null ? null : (JSON.parse(savedPlan) as SavedPlan),
    apply,
    start,
    end,
    strayed: astray,
    later: null,
    saved,
    planRequests,
    applyRequests,
    texts: textsOf(stage, { plan, apply, applyRequests }),
  };
}

async function follow(
  { golden, emulator, workspace, terminal }: Stage,
  version: Version,
  { apply }: CaseOutcome,
): Promise<Later> {
  const exportFile = join(workspace, 'export.yaml');
  const detailed = ['-f', golden.manifest, '--detailed-exitcode', ...scopeOf(golden.options.flags ?? [])];
  const other = withEnv(terminal, { FWDSYNC_API_URL: emulator.urls[version === 'v4' ? 'v3' : 'v4'] });
  return {
    planAgain: await runCommand(['plan', ...detailed], terminal),
    planOnOther: await runCommand(['plan', ...detailed], other),
    exported: await runCommand(['export', '--out', exportFile], terminal),
    planOfExport: await runCommand(['plan', '-f', exportFile, '--detailed-exitcode'], terminal),
    undone: await undoAll(emulator, apply, terminal),
  };
}

/** Routes of mail after each write. */
function watchRoutes({ golden, emulator }: Stage, version: Version): { stop(): readonly string[] } {
  const probes = probesOf(emulator.store.dump(), loadDesired(golden, version));
  const way = [routesOf(emulator, probes)];
  const stop = emulator.onRequest(({ phase, method }) => {
    if (phase === 'after' && method !== 'GET') way.push(routesOf(emulator, probes));
  });
  return {
    stop() {
      stop();
      return strayed(probes, way);
    },
  };
}

function textsOf(
  { emulator, workspace }: Stage,
  { plan, apply, applyRequests }: Pick<CaseOutcome, 'plan' | 'apply' | 'applyRequests'>,
): CaseOutcome['texts'] {
  const hide = (text: string): string =>
    text
      .replaceAll(`127.0.0.1:${emulator.port}`, 'emulator')
      .replaceAll(/(?<= at emulator) \(v[34]\)$/gm, '')
      .replaceAll(workspace, 'WORKSPACE')
      .replaceAll(SNAPSHOT, 'SNAPSHOT')
      .replaceAll(/fwdsync undo \w+/g, 'fwdsync undo RUN');
  return {
    'plan.txt': hide(renderSession(plan)),
    'report.txt': hide(renderSession(apply)),
    'requests.txt': renderRequests(applyRequests),
    'end.json': renderAccount(emulator.store.dump({ without: 'volatile' })),
  };
}

async function record(
  emulator: Emulator,
  args: readonly string[],
  terminal: Terminal,
): Promise<[CommandResult, readonly JournalEntry[]]> {
  emulator.journal.clear();
  const result = await runCommand(args, terminal);
  return [result, emulator.journal.entries()];
}

/** Faults name endpoints as v4 does; v3 addresses an alias by its name as well. */
function asOn(version: Version, fault: Fault): Fault {
  const { endpoint } = fault.match;
  if (version === 'v4' || endpoint !== '/domains/:domain/aliases/:id') return fault;
  return { ...fault, match: { ...fault.match, endpoint: '/domains/:domain/aliases/:alias' } };
}

/** Flags that select the domains of a run. */
function scopeOf(flags: readonly string[]): readonly string[] {
  return flags.filter((flag, index) => flag === '--domain' || flags[index - 1] === '--domain');
}

function withEnv(terminal: Terminal, env: Terminal['env']): Terminal {
  return { ...terminal, env: { ...terminal.env, ...env } };
}

function readSaved(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

function countingIds(): () => string {
  let next = 1;
  return () => `ffffffff-0000-4000-8000-${String(next++).padStart(12, '0')}`;
}
