import { plainCommand, type CommandLine } from '../../../core/model/text/command-line.ts';
import { showText, type Disclosure } from '../../../core/model/destinations.ts';
import { plural, escapeInvisible } from '../../../core/model/names.ts';
import { compareSources, showSource, type Source } from '../../../core/model/manifest/problem.ts';
import type { FailedItem, ChangeName, Report } from '../../../core/model/report.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import { withheldReason } from '../../../core/plan/withhold.ts';
import type { Style } from '../../../core/plan/render/style.ts';
import { wrapSentence } from '../../../core/plan/render/wrap.ts';
import { summarise, undoLine } from './report-document.ts';

export interface ReportTextOptions {
  readonly disclosure: Disclosure;
  readonly style: Style;
  /** Line width for sentences. Item lines are never broken. Infinity wraps nothing. */
  readonly columns: number;
  readonly command?: CommandLine;
}

/** Text in place of the cause of a stop, which is printed only once. */
const STOPPED = 'the run was stopped';

/** Number of items to name for each reason of skipping. The others are only counted. */
const NAMED_SKIPS = 10;

/** Renders a report for people: failures with their place, then what was left undone, then one line of counts. */
export function renderReport(report: Report, options: ReportTextOptions): string {
  const lines = [
    ...renderFailures(report, options),
    ...renderSkips(report, options),
    ...renderHeldBack(report, options),
    ...report.notes.flatMap((note) => sentence(`note: ${withoutStop(note, report)}`, options)),
    ...(report.stopped === null
      ? []
      : sentence(`stopped: ${report.stopped.message}`, options).map(options.style.error)),
    countLine(report, options.style),
    ...renderUndo(report, options),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the command that undoes the run, and the one that applies its snapshot like any other manifest. */
function renderUndo(
  report: Report,
  { disclosure, command = plainCommand }: ReportTextOptions,
): readonly string[] {
  const { snapshot } = report;
  const undo = undoLine(report, command);
  if (undo === null) return [];
  if (snapshot === null) return [`undo: ${showText(undo, disclosure)}`];
  const apply = command(`apply -f ${quoteForShell(snapshot)}`);
  return [`undo: ${showText(undo, disclosure)}`, `snapshot: ${apply}`];
}

function renderFailures(report: Report, options: ReportTextOptions): readonly string[] {
  const failed = report.failed
    .toSorted((a, b) => compareSources(a.source, b.source))
    .map((item) => options.style.error(itemLine(item, failureText(item), options)));
  const notKept = report.notKept
    .toSorted((a, b) => compareSources(a.source, b.source))
    .map((item) => options.style.warning(itemLine(item, item.message, options)));
  return [...failed, ...notKept];
}

/** Returns the service's message, its place, and any field errors that say more. */
function failureText(item: FailedItem): string {
  const status = item.status === null ? 'no answer' : String(item.status);
  const position = item.index === null ? '' : `, index ${item.index}`;
  const fields = Object.entries(item.errors)
    .flatMap(([field, messages]) => messages.map((message) => ({ field, message })))
    .filter(({ message }) => !item.message.includes(message))
    .map(({ field, message }) => `; ${field}: ${message}`);
  return `${item.message}${fields.join('')} (${item.endpoint}, ${status}${position})`;
}

function withoutStop(text: string, { stopped }: Report): string {
  return stopped === null ? text : text.replace(stopped.message, STOPPED);
}

function renderSkips(report: Report, options: ReportTextOptions): readonly string[] {
  const lines: string[] = [];
  for (const [reason, items] of Map.groupBy(report.skipped, (item) => withoutStop(item.reason, report))) {
    const named = items.toSorted((a, b) => compareSources(a.source, b.source)).slice(0, NAMED_SKIPS);
    lines.push(...named.map((item) => itemLine(item, `not ${DONE[item.action]}: ${reason}`, options)));
    const rest = items.length - named.length;
    if (rest > 0) lines.push(options.style.dim(`… and ${rest} more skipped: ${safe(reason, options)}`));
  }
  return lines;
}

const DONE = { add: 'added', update: 'updated', move: 'moved', delete: 'deleted' } as const;

function renderHeldBack(report: Report, options: ReportTextOptions): readonly string[] {
  const refused = report.guards.filter((finding) => !finding.allowed);
  const explained = new Set(refused.map(withheldReason));
  const sentences = [
    // The plan says why. These lines say what is left of it.
    ...refused.map(({ guard, scope, allow }) => {
      const where = scope === 'run' ? '' : ` in ${scope}`;
      return `withheld by ${guard}${where}${allow === null ? '' : ` (${allow})`}`;
    }),
    ...report.withheld
      .filter(({ reason }) => !explained.has(reason))
      .map(({ domain, reason }) => `withheld: ${domain}: ${reason}`),
  ];
  return sentences.flatMap((text) => sentence(text, options).map(options.style.warning));
}

function sentence(text: string, options: ReportTextOptions): readonly string[] {
  return wrapSentence(safe(text, options), options.columns);
}

function itemLine(
  item: ChangeName & { readonly source: Source | null },
  text: string,
  options: ReportTextOptions,
): string {
  const place = item.source === null ? 'account' : showSource(item.source);
  const name = item.kind === 'domain' ? item.name : `${item.domain}/${item.name}`;
  return `${escapeInvisible(place)}: ${item.kind} ${escapeInvisible(name)}: ${safe(text, options)}`;
}

/** Makes text from the service safe to print: on one line, with nothing hidden, references and masks applied. */
function safe(text: string, options: ReportTextOptions): string {
  return escapeInvisible(showText(text.replace(/\s*\n\s*/g, ' '), options.disclosure));
}

/** Returns the number of items with each outcome, zeros left out: `3 added`, `1 deleted`. */
export function countedItems(report: Report): readonly string[] {
  const counts = summarise(report);
  const parts = [
    [counts.added, 'added'],
    [counts.updated, 'updated'],
    [counts.moved, 'moved'],
    [counts.deleted, 'deleted'],
    [counts.failed, 'failed'],
    [counts.skipped, 'skipped'],
    [counts.notKept, 'not kept'],
  ] as const;
  return parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
}

/** Returns the outcome and its counts on one line: `converged: 3 added, 1 deleted. 9 requests in 0.4 s.` */
export function countLine(report: Report, style: Style): string {
  const counted = countedItems(report);
  const { total, waitedSeconds } = report.requests;
  const seconds = Math.max(0, (report.finishedAt - report.startedAt - report.askedMs) / 1000);
  const waited =
    waitedSeconds > 0 ? `, ${roundSeconds(waitedSeconds)} s of it waiting for the rate limit` : '';
  const effort = style.dim(`${plural(total, 'request')} in ${roundSeconds(seconds)} s${waited}.`);
  const unwritten = report.outcome === 'failed' && !report.wrote ? '; nothing was written' : '';
  if (report.outcome === 'unchanged') return `${style.good('no changes')}. ${effort}`;
  const changes = counted.length === 0 ? 'no changes' : `${counted.join(', ')}${unwritten}`;
  return `${paintOutcome(report, style)}: ${changes}. ${effort}`;
}

function paintOutcome(report: Report, style: Style): string {
  return report.outcome === 'converged' ? style.good(report.outcome) : style.error(report.outcome);
}

function roundSeconds(seconds: number): string {
  return seconds < 10 ? String(Math.round(seconds * 10) / 10) : String(Math.round(seconds));
}
