import { escapeInvisible } from '../../model/names.ts';
import type { Action } from '../../model/plan.ts';
import { showSource } from '../../model/manifest/problem.ts';
import { describeChange, partSuffix, WITHHELD_PART } from './describe.ts';
import type { ChangeDocument, GuardDocument, PlanContents, WarningDocument } from '../document/document.ts';
import { printable } from '../document/printable.ts';
import { countsSentence, forecastSentence, runsInPart, scarcitySentence, unchangedIn } from './totals.ts';
import { NO_LONGER_MANAGED } from '../left-behind.ts';
import { withheldReason } from '../withhold.ts';
import { replaySentence } from './replay.ts';
import {
  NO_ROUTES,
  routesByDomain,
  routesSentence,
  type RouteRow,
  type RoutesShown,
} from './render-routes.ts';
import type { Style } from './style.ts';
import { hintLines, wrap, wrapSentence } from './wrap.ts';

export interface PlanTextOptions {
  readonly style: Style;
  /** The most columns of a line; Infinity wraps nothing. */
  readonly columns: number;
  /** `totals` leaves out the changes and single warnings. */
  readonly extent: 'all' | 'totals';
  readonly routes: RoutesShown;
  /** The command that applies the plan; null means that there is nothing to apply, or that a prompt follows. */
  readonly next: string | null;
}

export const SYMBOLS = { add: '+', update: '~', delete: '-', move: '↕' } as const satisfies Record<
  Action,
  string
>;
const PAINT = { add: 'add', update: 'update', delete: 'remove', move: 'move' } as const;
/** The most changes listed for a domain; the rest is counted, so that a plan of thousands stays readable. */
const MOST_LINES = 200;
/** The most warnings shown for one code; the rest is counted. */
const MOST_WARNINGS = 3;

/**
 * Renders a plan for people: the account, a diff by domain, warnings, everything that keeps it from running, and last
 * the lines that a person reads first on a terminal: counts, forecast and the next command.
 */
export function renderPlan(document: PlanContents, options: PlanTextOptions): string {
  const plan = printable(document);
  const hints = new Set<string>();
  const blocks = [
    [options.style.strong(accountLine(plan))],
    ...(options.extent === 'totals' ? [] : renderDomains(plan, options)),
    options.extent === 'totals'
      ? countWarnings(plan.warnings, options)
      : renderWarnings(plan.warnings, { ...options, hints }),
    plan.problems.flatMap((problem) => noteLines(problem, { ...options, hints })),
    renderWithheld(plan, options),
    plan.guards.flatMap((finding) => guardLines(finding, plan, options)),
    options.extent === 'totals' ? [] : renderRoutes(plan, options),
    [
      options.extent === 'totals' ? (routesSentence(plan) ?? []) : [],
      wrapSentence(replaySentence(plan) ?? '', options.columns).filter((line) => line !== ''),
      scarcitySentence(plan) ?? [],
      options.style.strong(countsSentence(plan)),
      wrapSentence(forecastSentence(plan) ?? '', options.columns).filter((line) => line !== ''),
      options.next === null ? [] : applyWith(options.next),
    ].flat(),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** Returns the last line: the command that applies the plan. */
export function applyWith(command: string): string {
  return `Apply with: ${escapeInvisible(command)}`;
}

/** Formats the account, such as `ops@acme.example at api.improvmx.com (v4)`. */
export function accountLine({ api }: Pick<PlanContents, 'api'>): string {
  const host = URL.parse(api.url)?.host || api.url;
  return `${api.account} at ${host} (${api.version})`;
}

function renderDomains(plan: PlanContents, options: PlanTextOptions): readonly (readonly string[])[] {
  const byDomain = Map.groupBy(plan.changes, ({ domain }) => domain);
  return [...byDomain].map(([domain, changes]) => renderDomain(domain, changes, plan, options));
}

function renderDomain(
  domain: string,
  changes: readonly ChangeDocument[],
  plan: PlanContents,
  options: PlanTextOptions,
): readonly string[] {
  const rows = changes.map((change) => ({ ...change, ...describeChange(change) }));
  const isNew = changes.some((change) => change.kind === 'domain' && change.action === 'add');
  const state = isNew ? 'new domain' : `${unchangedIn(plan, domain)} unchanged`;
  return renderDomainDiff(domain, rows, { ...options, state });
}

/** One line of a domain's diff: an item, its change, and a note. */
export interface DiffRow extends Pick<ChangeDocument, 'action' | 'kind' | 'name'> {
  readonly text: string;
  readonly note: string;
}

export interface DiffOptions extends Pick<PlanTextOptions, 'style' | 'columns'> {
  /** The text about the domain after the counts. */
  readonly state: string;
}

/** Renders a domain with its counts, and below it one line per item. */
export function renderDomainDiff(
  domain: string,
  all: readonly DiffRow[],
  options: DiffOptions,
): readonly string[] {
  const rows = all.slice(0, MOST_LINES).map((row) => (row.kind === 'domain' ? { ...row, name: '' } : row));
  const widths: Widths = {
    kind: Math.max(...rows.map(({ kind }) => kind.length)),
    name: Math.min(24, Math.max(...rows.map(({ name }) => name.length))),
    text: Math.min(44, Math.max(...rows.map(({ text, note }) => (note === '' ? 0 : text.length)))),
  };
  const lines = rows.flatMap((row) => rowLines(row, widths, options));
  const rest = all.length - rows.length;
  const more = rest > 0 ? [options.style.dim(`  … and ${rest} more`)] : [];
  return [domainLine(domain, all, options), ...lines, ...more];
}

/** Column widths of the kinds, the names, and the texts that a note follows. */
type Widths = Readonly<Record<'kind' | 'name' | 'text', number>>;

/** Renders a row in one line if it fits; a long text continues below. */
function rowLines(row: DiffRow, widths: Widths, { style, columns }: DiffOptions): readonly string[] {
  const { action, kind, name, text, note } = row;
  const head = `  ${SYMBOLS[action]} ${kind.padEnd(widths.kind)}  ${name.padEnd(widths.name)}  `;
  const indent = Math.min(head.length, 32);
  const whole = note === '' ? text : `${text.padEnd(widths.text)}  ${note}`;
  const fits = head.length + whole.trimEnd().length <= columns;
  const lines = fits
    ? [whole]
    : wrap(note === '' ? text : `${text}  ${note}`, { used: head.length, indent, columns });
  return lines.map((line, index) =>
    style[PAINT[action]](`${index === 0 ? head : ' '.repeat(indent)}${line}`.trimEnd()),
  );
}

function domainLine(domain: string, rows: readonly DiffRow[], { style, state }: DiffOptions): string {
  const counts = { add: 0, update: 0, delete: 0, move: 0 };
  for (const { action } of rows) counts[action] += 1;
  const parts = (['add', 'update', 'delete', 'move'] as const)
    .filter((action) => counts[action] > 0)
    .map((action) => style[PAINT[action]](`${SYMBOLS[action]}${counts[action]}`));
  return `${style.strong(domain.padEnd(46))}  ${parts.join(' ')}   ${style.dim(state)}`;
}

/** Renders the mail routes that change: one line per route, by domain. */
function renderRoutes(plan: PlanContents, options: PlanTextOptions): readonly string[] {
  const domains = routesByDomain(plan, options.routes);
  if (domains === null) return [];
  if (domains.length === 0) return [NO_ROUTES];
  const all = domains.flatMap(({ rows }) => rows);
  // There may be more routes than a call takes arguments.
  const widest = (lengthOf: (row: RouteRow) => number): number =>
    all.reduce((most, row) => Math.max(most, lengthOf(row)), 0);
  const widths = {
    who: Math.min(
      32,
      widest(({ who }) => who.length),
    ),
    text: Math.min(
      44,
      widest(({ text, note }) => (note === '' ? 0 : text.length)),
    ),
  };
  const lines = domains.flatMap(({ rows, more }) => [
    ...rows.flatMap((row) => routeLines(row, widths, options)),
    ...(more === null ? [] : [options.style.dim(`  ${more}`)]),
  ]);
  return [options.style.strong('whose mail changes:'), ...lines];
}

function routeLines(
  { kind, who, text, note }: RouteRow,
  widths: Readonly<Record<'who' | 'text', number>>,
  options: PlanTextOptions,
): readonly string[] {
  const action = ROUTE_ACTIONS[kind];
  const head = `  ${SYMBOLS[action]} ${who.padEnd(widths.who)}  `;
  const whole = note === '' ? text : `${text.padEnd(widths.text)}  ${note}`;
  if (head.length + whole.length <= options.columns) return [options.style[PAINT[action]](head + whole)];
  // The note goes below, so that the destinations are not broken up.
  const below = { used: ROUTE_INDENT, indent: ROUTE_INDENT, columns: options.columns };
  const lines = [...wrap(text, { ...below, used: head.length }), ...(note === '' ? [] : wrap(note, below))];
  return lines.map((line, index) =>
    options.style[PAINT[action]](`${index === 0 ? head : ' '.repeat(ROUTE_INDENT)}${line}`),
  );
}

const ROUTE_INDENT = 8;
const ROUTE_ACTIONS = { new: 'add', lost: 'delete', reroute: 'update', renamed: 'update' } as const;

/** Renders the withheld parts that no guard or problem reports. */
function renderWithheld(plan: PlanContents, options: PlanTextOptions): readonly string[] {
  const told = new Set([...plan.problems.map(({ message }) => message), ...plan.guards.map(withheldReason)]);
  return plan.withheld
    .filter(({ reason }) => !told.has(reason))
    .flatMap(({ domain, part, reason }) => {
      const text = `withheld: ${domain}${partSuffix(part)}: ${reason}`;
      return wrapSentence(text, options.columns).map(options.style.warning);
    });
}

function guardLines(finding: GuardDocument, plan: PlanContents, options: PlanTextOptions): readonly string[] {
  const { guard, allow, allowed, message } = finding;
  const verdict = verdictOf(finding, plan);
  const { style, columns } = options;
  const lines = wrapSentence(`${verdict}: ${message} [${guard}]`, columns).map(
    allowed ? style.dim : style.error,
  );
  return allowed || allow === null ? lines : [...lines, `    allow it with ${allow}`];
}

/** Returns the verdict of a guard. A guard that refuses a plan only withholds its part if the rest runs. */
function verdictOf(finding: GuardDocument, plan: PlanContents): string {
  if (finding.allowed) return 'allowed';
  const parts = plan.withheld.filter(({ reason }) => reason === withheldReason(finding));
  const [first] = parts;
  if (first === undefined) return finding.refuses && !runsInPart(plan) ? 'refused' : 'withheld';
  const what = first.part === 'domain' ? 'all' : WITHHELD_PART;
  return `withheld (${what} in ${parts.length === 1 ? first.domain : `${parts.length} domains`})`;
}

interface NoteOptions extends PlanTextOptions {
  /** Hints already shown here; two hundred domains may need the same one. */
  readonly hints: Set<string>;
}

/** Renders warnings by code, a few of each. */
function renderWarnings(warnings: readonly WarningDocument[], options: NoteOptions): readonly string[] {
  return [...Map.groupBy(warnings, ({ code }) => code)].flatMap(([code, all]) => {
    const most = code === NO_LONGER_MANAGED ? all.length : MOST_WARNINGS;
    const lines = all.slice(0, most).flatMap((warning) => noteLines(warning, options));
    const rest = all.length - most;
    return rest > 0 ? [...lines, options.style.warning(`… and ${rest} more [${code}]`)] : lines;
  });
}

function countWarnings(warnings: readonly WarningDocument[], { style }: PlanTextOptions): readonly string[] {
  if (warnings.length === 0) return [];
  const codes = [...Map.groupBy(warnings, ({ code }) => code)].map(([code, all]) => `${all.length} ${code}`);
  return [style.warning(`warnings: ${codes.join(', ')}`)];
}

/** Renders a finding as `validate` does: place, severity, message and code. The hint follows below, once. */
function noteLines(
  { severity, source, code, message, hint }: WarningDocument,
  { style, hints, columns }: NoteOptions,
): readonly string[] {
  const place = source === null ? '' : `${showSource(source)}: `;
  const paint = severity === 'notice' ? style.strong : style[severity];
  const head = wrapSentence(`${place}${severity}: ${message} [${code}]`, columns).map(paint);
  if (hint === undefined || hints.has(hint)) return head;
  hints.add(hint);
  return [...head, ...hintLines(hint, { style, columns })];
}
