import { plainCommand, type CommandLine } from '../../../core/model/text/command-line.ts';
import { type Disclosure, showText } from '../../../core/model/destinations.ts';
import type { Action, GuardFinding, Withheld } from '../../../core/model/plan.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import type { ItemCounts, Report } from '../../../core/model/report.ts';

/** Document that `apply --format json` prints and the state directory keeps; see schemas/report.v1.schema.json. */
export interface ReportDocument extends Pick<
  Report,
  | 'outcome'
  | 'plan'
  | 'applied'
  | 'failed'
  | 'skipped'
  | 'notKept'
  | 'notes'
  | 'requests'
  | 'stopped'
  | 'snapshot'
> {
  readonly kind: 'fwdsync/report@1';
  /** Time in ISO 8601, UTC. */
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Part of that time in which a person answered the prompt. Absent if there was no prompt. */
  readonly askedSeconds?: number;
  readonly summary: ItemCounts;
  readonly guards: readonly Omit<GuardFinding, 'allowance' | 'holds' | 'refuses'>[];
  readonly withheld: readonly Pick<Withheld, 'domain' | 'reason'>[];
  readonly problems: readonly Pick<Problem, 'severity' | 'code' | 'message' | 'hint' | 'source'>[];
  /** Command that undoes the run; null if there is nothing to undo. */
  readonly undo: string | null;
}

/**
 * Returns the report as plain JSON. Text from the service passes through the disclosure. A report has no values
 * behind references.
 */
export function reportDocument(
  report: Report,
  disclosure: Disclosure,
  command: CommandLine = plainCommand,
): ReportDocument {
  const show = (text: string): string => showText(text, disclosure);
  const { outcome, plan, applied, requests, stopped, snapshot } = report;
  const undo = undoLine(report, command);
  return {
    kind: 'fwdsync/report@1',
    outcome,
    startedAt: new Date(report.startedAt).toISOString(),
    finishedAt: new Date(report.finishedAt).toISOString(),
    ...(report.askedMs === 0 ? {} : { askedSeconds: report.askedMs / 1000 }),
    plan,
    summary: summarise(report),
    applied,
    failed: report.failed.map((item) => {
      const errors = Object.entries(item.errors).map(([field, said]) => [field, said.map(show)] as const);
      return { ...item, message: show(item.message), errors: Object.fromEntries(errors) };
    }),
    skipped: report.skipped.map((item) => ({ ...item, reason: show(item.reason) })),
    guards: report.guards.map(({ guard, scope, limit, planned, message, allow, allowed }) => {
      return { guard, scope, limit, planned, message: show(message), allow, allowed };
    }),
    withheld: report.withheld.map(({ domain, reason }) => ({ domain, reason: show(reason) })),
    problems: report.problems.map(({ severity, code, message, hint, source }) => {
      return { severity, code, message: show(message), hint: show(hint), source };
    }),
    notKept: report.notKept.map((item) => ({ ...item, message: show(item.message) })),
    notes: report.notes.map(show),
    requests,
    undo: undo === null ? null : show(undo),
    stopped: stopped === null ? null : { ...stopped, message: show(stopped.message) },
    snapshot,
  };
}

/** Returns the command that undoes a run, with the flags that allow it; null if there is nothing to undo. */
export function undoLine(
  { run, undoFlags }: Pick<Report, 'run' | 'undoFlags'>,
  command: CommandLine,
): string | null {
  if (run === null) return null;
  return command(['undo', run, ...undoFlags].join(' '));
}

/** Counts the items of each outcome. */
export function summarise(report: Report): ItemCounts {
  const count = (action: Action): number => report.applied.filter((item) => item.action === action).length;
  return {
    added: count('add'),
    updated: count('update'),
    moved: count('move'),
    deleted: count('delete'),
    failed: report.failed.length,
    skipped: report.skipped.length,
    notKept: report.notKept.length,
  };
}
