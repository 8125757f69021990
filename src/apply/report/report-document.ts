import { type Disclosure, showText } from '../../model/destinations.ts';
import type { Action, GuardFinding, Withheld } from '../../model/plan.ts';
import type { Source } from '../../model/problem.ts';
import {
  changeName,
  type AppliedItem,
  type FailedItem,
  type NotKeptItem,
  type Report,
  type RequestTotals,
  type SkippedItem,
  type Stop,
} from '../../model/report.ts';

/** What `apply --format json` prints and the state directory keeps: schemas/report.v1.schema.json. */
export interface ReportDocument {
  readonly kind: 'fwdsync/report@1';
  readonly outcome: Report['outcome'];
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly plan: string;
  readonly summary: ReportSummary;
  readonly applied: readonly AppliedItem[];
  readonly failed: readonly FailedItem[];
  readonly skipped: readonly SkippedItem[];
  readonly guards: readonly Omit<GuardFinding, 'allowance' | 'holds' | 'refuses'>[];
  readonly withheld: readonly Pick<Withheld, 'domain' | 'reason'>[];
  readonly notKept: readonly NotKeptItem[];
  readonly notes: readonly string[];
  readonly requests: RequestTotals;
  readonly stopped: Stop | null;
  readonly snapshot: string | null;
}

export interface ReportSummary {
  readonly added: number;
  readonly updated: number;
  readonly moved: number;
  readonly deleted: number;
  readonly failed: number;
  readonly skipped: number;
  readonly notKept: number;
}

/** The report as plain JSON. What the service wrote is passed through the disclosure; values are in no report. */
export function reportDocument(report: Report, disclosure: Disclosure): ReportDocument {
  const show = (text: string): string => showText(text, disclosure);
  return {
    kind: 'fwdsync/report@1',
    outcome: report.outcome,
    startedAt: new Date(report.startedAt).toISOString(),
    finishedAt: new Date(report.finishedAt).toISOString(),
    plan: report.plan,
    summary: summarise(report),
    applied: report.applied.map((item) => ({ ...changeName(item), id: item.id })),
    failed: report.failed.map((item) => failedItem(item, disclosure)),
    skipped: report.skipped.map((item) => ({
      ...changeName(item),
      source: place(item.source),
      reason: show(item.reason),
    })),
    guards: report.guards.map(({ guard, scope, limit, planned, message, allow, allowed }) => {
      return { guard, scope, limit, planned, message: show(message), allow, allowed };
    }),
    withheld: report.withheld.map(({ domain, reason }) => ({ domain, reason: show(reason) })),
    notKept: report.notKept.map((item) => {
      return { ...changeName(item), source: place(item.source), message: show(item.message) };
    }),
    notes: report.notes.map(show),
    requests: report.requests,
    stopped:
      report.stopped === null ? null : { kind: report.stopped.kind, message: show(report.stopped.message) },
    snapshot: report.snapshot,
  };
}

export function summarise(report: Report): ReportSummary {
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

function failedItem(item: FailedItem, disclosure: Disclosure): FailedItem {
  const errors = Object.entries(item.errors).map(
    ([field, messages]) => [field, messages.map((message) => showText(message, disclosure))] as const,
  );
  return {
    ...changeName(item),
    source: place(item.source),
    endpoint: item.endpoint,
    status: item.status,
    index: item.index,
    message: showText(item.message, disclosure),
    errors: Object.fromEntries(errors),
  };
}

function place(source: Source | null): Source | null {
  return source === null ? null : { file: source.file, line: source.line, column: source.column };
}
