import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dump } from '../../src/emulator/dump.ts';
import type { JournalEntry } from '../../src/emulator/journal.ts';
import { startEmulator, type Emulator } from '../../src/emulator/server.ts';
import type { GoldenCase } from './case.ts';
import { runCommand, type CommandResult, type Terminal } from './cli.ts';
import { virtualClock } from '../support/clock.ts';
import { renderAccount, renderRequests, renderSession } from './render.ts';

const KEY = 'golden-key';
const START = Date.parse('2026-01-15T12:00:00Z');

/** What the case's command lines printed and did; the texts are as they are stored. */
export interface CaseOutcome {
  readonly plan: CommandResult;
  readonly apply: CommandResult;
  /** `plan --detailed-exitcode` after it, with the same manifest and with the account's own export. */
  readonly planAfter: CommandResult;
  readonly exported: CommandResult;
  readonly planOfExport: CommandResult;
  /** The account before `apply` (and after the edits by hand), and after it. */
  readonly start: Dump;
  readonly end: Dump;
  /** The text of every file in the state directory. */
  readonly saved: readonly string[];
  /** Requests of `plan`, and of `apply`. */
  readonly planRequests: readonly JournalEntry[];
  readonly applyRequests: readonly JournalEntry[];
  /** Name of the stored file -> text. */
  readonly texts: Readonly<Record<string, string>>;
}

export async function runCase(golden: GoldenCase): Promise<CaseOutcome> {
  const workspace = mkdtempSync(join(tmpdir(), 'fwdsync-golden-'));
  const clock = virtualClock(START);
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    state: golden.account,
    switches: golden.options.switches,
    rateLimit: golden.options.rateLimit,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: countingIds(),
    journalSize: 100_000,
  });
  const terminal: Terminal = {
    cwd: golden.directory,
    clock,
    env: {
      FWDSYNC_API_URL: emulator.urls[golden.options.version ?? 'v4'],
      FWDSYNC_API_KEY: KEY,
      FWDSYNC_STATE_DIR: join(workspace, 'state'),
      ...golden.options.env,
    },
  };
  try {
    await prepare(golden, terminal, emulator);
    return await carryOut(golden, terminal, emulator, workspace);
  } finally {
    await emulator.close();
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** The earlier run, and what somebody did by hand since. */
async function prepare(golden: GoldenCase, terminal: Terminal, emulator: Emulator): Promise<void> {
  if (golden.before !== null) {
    const earlier = await runCommand(['apply', '-f', golden.before, '--yes'], terminal);
    if (earlier.exitCode !== 0) throw new Error(`the earlier run failed:\n${earlier.stdout}${earlier.stderr}`);
  }
  for (const { method, path, body } of golden.options.edits ?? []) {
    const response = await fetch(`${emulator.urls.v4.slice(0, -3)}${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`api:${KEY}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  }
}

async function carryOut(
  golden: GoldenCase,
  terminal: Terminal,
  emulator: Emulator,
  workspace: string,
): Promise<CaseOutcome> {
  const manifest = ['-f', golden.manifest];
  const flags = golden.options.flags ?? [];
  const start = emulator.store.dump();
  emulator.faults.push(...(golden.options.planFaults ?? []));
  const [plan, planRequests] = await record(emulator, ['plan', ...manifest, ...flags], terminal);
  emulator.faults.push(...(golden.options.faults ?? []));
  const [apply, applyRequests] = await record(emulator, ['apply', ...manifest, '--yes', ...flags], terminal);
  emulator.faults.clear();
  const end = emulator.store.dump();

  const exportFile = join(workspace, 'export.yaml');
  const planAfter = await runCommand(['plan', ...manifest, '--detailed-exitcode'], terminal);
  const exported = await runCommand(['export', '--out', exportFile], terminal);
  const planOfExport = await runCommand(['plan', '-f', exportFile, '--detailed-exitcode'], terminal);
  const saved = readSaved(join(workspace, 'state'));
  const hide = (text: string): string =>
    text.replaceAll(`http://127.0.0.1:${emulator.port}`, 'http://emulator').replaceAll(workspace, 'WORKSPACE');
  const texts = {
    'plan.txt': hide(renderSession(plan)),
    'report.txt': hide(renderSession(apply)),
    'requests.txt': renderRequests(applyRequests),
    'end.json': renderAccount(emulator.store.dump({ without: 'volatile' })),
  };
  return { plan, apply, planAfter, exported, planOfExport, start, end, saved, planRequests, applyRequests, texts };
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
