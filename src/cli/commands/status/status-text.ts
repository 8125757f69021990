import type { CommandLine } from '../../../core/model/text/command-line.ts';
import { durationText } from '../../../core/model/clock.ts';
import {
  FLEET_STATES,
  countStates,
  knownWorkers,
  queueText,
  revisionText,
  runners,
  type Fleet,
  type FleetAccount,
  type FleetState,
  type FleetWorker,
} from '../../../core/model/status/fleet.ts';
import { escapeInvisible, plural } from '../../../core/model/names.ts';
import type { Style } from '../../../core/plan/render/style.ts';
import { wrapSentence, wrapWords } from '../../../core/plan/render/wrap.ts';

/** Accounts that are not in sync, worst first, the others as a count; then workers and queue. */
export function renderStatus(
  fleet: Fleet,
  { style, columns, command }: Terminal & { readonly command: CommandLine },
): string {
  const rows = fleet.accounts
    .filter(({ state }) => state !== 'in-sync')
    .toSorted((a, b) => FLEET_STATES.indexOf(a.state) - FLEET_STATES.indexOf(b.state));
  const workers = knownWorkers(fleet);
  const blocks = [
    rows.length === 0 ? [] : accountLines(rows, fleet, { style, columns }),
    workers.length === 0 ? [] : workerLines(workers, fleet, style),
    summaryLines(fleet, style, command).flatMap((line) => wrapSentence(line, columns)),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');
}

interface Terminal {
  readonly style: Style;
  readonly columns: number;
}

const INDENT = 4;

function accountLines(
  rows: readonly FleetAccount[],
  { at, workers }: Fleet,
  { style, columns }: Terminal,
): readonly string[] {
  const runner = runners({ workers });
  const cells = rows.map((account) => [
    account.state,
    escapeInvisible(account.email),
    revisionText(account),
    account.readAt === null ? 'never' : `${durationText(at - account.readAt)} ago`,
  ]);
  const [head = '', ...lines] = table([['STATE', 'ACCOUNT', 'REVISION', 'LAST READ'], ...cells]);
  const below = { used: INDENT, indent: INDENT, columns };
  return [
    style.dim(head),
    ...rows.flatMap((account, index) => [
      paintState(lines[index] ?? '', account.state, style),
      ...wrapWords(detailOf(account, runner(account)), below)
        .filter((line) => line !== '')
        .map((line) => `${' '.repeat(INDENT)}${style.dim(line)}`),
    ]),
  ];
}

/** Renders a table with columns as wide as they need to be. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

const SEVERE: ReadonlySet<FleetState> = new Set(['unattended', 'not-receiving', 'failing']);

function paintState(line: string, state: FleetState, style: Style): string {
  const paint = SEVERE.has(state) ? style.error : style.warning;
  return `${state === 'unknown' ? state : paint(state)}${line.slice(state.length)}`;
}

function detailOf({ drift, parked, error }: FleetAccount, runner: string | null): string {
  return [
    ...(runner === null ? [] : [`running on ${runner}`]),
    ...(drift === 0 ? [] : [`${plural(drift, 'item')} drifted`]),
    ...(parked ? ['parked until its key or revision changes'] : []),
    ...(error === null ? [] : [error]),
  ]
    .map(escapeInvisible)
    .join('; ');
}

function workerLines(workers: readonly FleetWorker[], { at }: Fleet, style: Style): readonly string[] {
  const cells = workers.map(({ name, state, running, concurrency, seenAt, version }) => [
    state === 'lost' ? state : `${running} of ${concurrency}`,
    `${durationText(at - seenAt)} ago`,
    escapeInvisible(version),
    escapeInvisible(name),
  ]);
  const [head = '', ...lines] = table([['RUNS', 'SEEN', 'VERSION', 'WORKER'], ...cells]);
  return [
    style.dim(head),
    ...lines.map((line, index) => (workers[index]?.state === 'lost' ? style.warning(line) : line)),
  ];
}

function summaryLines(
  { accounts, workers, queue }: Fleet,
  style: Style,
  command: CommandLine,
): readonly string[] {
  if (accounts.length === 0)
    return ['No manifest is published; `fwdsync publish --help` says how to publish one.'];
  const counts = countStates(accounts);
  const states = FLEET_STATES.filter((state) => counts[state] > 0).map(
    (state) => `${counts[state]} ${state}`,
  );
  return [
    `${plural(accounts.length, 'account')}: ${states.join(', ')}.`,
    queueText(queue),
    schedulerLine(workers, style, command),
  ];
}

function schedulerLine(workers: readonly FleetWorker[], style: Style, command: CommandLine): string {
  const running = workers.filter(({ state }) => state === 'running');
  const scheduler = running.find((worker) => worker.scheduler);
  if (scheduler !== undefined) return `The scheduler is ${escapeInvisible(scheduler.name)}.`;
  return running.length === 0
    ? `${style.error('No worker is running')}; start one with: \`${command('run')}\``
    : `${style.error('No worker is the scheduler')}: one takes over within a minute, or its log says why not.`;
}
