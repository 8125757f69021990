import { showForward, showText, type Disclosure } from '../model/disclosure.ts';
import { escapeInvisible } from '../model/names.ts';
import type { Action, Change, Forecast, GuardFinding, Plan, Warning } from '../model/plan.ts';
import { showSource } from '../model/problem.ts';
import { describeChange, type Show } from './describe.ts';

/** Paints parts of a text; colour never carries a meaning alone. */
export interface PlanStyle {
  readonly add: (text: string) => string;
  readonly update: (text: string) => string;
  readonly remove: (text: string) => string;
  readonly move: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
}

export interface PlanTextOptions {
  /** null: none was made, or it does not matter. */
  readonly forecast: Forecast | null;
  readonly disclosure: Disclosure;
  readonly style: PlanStyle;
  /** Width to keep to; Infinity cuts nothing. */
  readonly columns: number;
}

export const SYMBOLS = { add: '+', update: '~', delete: '-', move: '↕' } as const satisfies Record<
  Action,
  string
>;
const PAINT = { add: 'add', update: 'update', delete: 'remove', move: 'move' } as const;
/** Of a domain so many changes are listed, the rest counted: a plan of thousands stays readable. */
const MOST_LINES = 200;

/** A plan for people: a diff by domain, counts, forecast, then what is withheld, guards, problems and warnings. */
export function renderPlan(plan: Plan, options: PlanTextOptions): string {
  const blocks = [
    ...[...Map.groupBy(plan.changes, ({ domain }) => domain)].map(([domain, changes]) =>
      renderDomain(domain, changes, plan, options),
    ),
    [countsLine(plan, options.style), ...forecastLines(options)],
    renderWithheld(plan, options),
    plan.guards.flatMap((finding) => guardLines(finding, options)),
    plan.problems.flatMap((problem) => noteLines('error', problem, options)),
    plan.warnings.flatMap((warning) => noteLines('warning', warning, options)),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

function renderDomain(
  domain: string,
  changes: readonly Change[],
  plan: Plan,
  options: PlanTextOptions,
): readonly string[] {
  const rows = changes.slice(0, MOST_LINES).map((change) => ({
    change,
    kind: change.kind,
    name: change.kind === 'domain' ? '' : safe(change.name, options),
    ...describeChange(change, showOf(options)),
  }));
  const nameWidth = Math.min(24, Math.max(...rows.map(({ name }) => name.length)));
  const textWidth = Math.min(44, Math.max(...rows.map(({ text, note }) => (note === '' ? 0 : text.length))));
  const lines = rows.map(({ change, kind, name, text, note }) => {
    const kindWidth = kind === 'credential' ? 10 : 5;
    const body = `${name.padEnd(nameWidth)}  ${note === '' ? text : text.padEnd(textWidth)}`;
    const line = `  ${SYMBOLS[change.action]} ${kind.padEnd(kindWidth)}  ${body}${note === '' ? '' : `  ${note}`}`;
    return options.style[PAINT[change.action]](cut(line.trimEnd(), options.columns));
  });
  const rest = changes.length - rows.length;
  const more = rest > 0 ? [options.style.dim(`  … and ${rest} more`)] : [];
  return [domainLine(domain, changes, plan, options), ...lines, ...more];
}

function domainLine(
  domain: string,
  changes: readonly Change[],
  plan: Plan,
  { style }: PlanTextOptions,
): string {
  const counts = { add: 0, update: 0, delete: 0, move: 0 };
  for (const { action } of changes) counts[action] += 1;
  const parts = (['add', 'update', 'delete', 'move'] as const)
    .filter((action) => counts[action] > 0)
    .map((action) => style[PAINT[action]](`${SYMBOLS[action]}${counts[action]}`));
  const isNew = changes.some((change) => change.kind === 'domain' && change.action === 'add');
  const unchanged = plan.unchanged.get(domain as Change['domain']) ?? 0;
  const state = isNew ? 'new domain' : `${unchanged} unchanged`;
  return `${style.strong(domain.padEnd(46))}  ${parts.join(' ')}   ${style.dim(state)}`;
}

function countsLine({ summary }: Plan, style: PlanStyle): string {
  const parts = [
    [summary.add, 'to add'],
    [summary.update, 'to update'],
    [summary.move, 'to move'],
    [summary.delete, 'to delete'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const conditional = summary.conditional > 0 ? ` (${summary.conditional} of them conditional)` : '';
  const changes = told.length === 0 ? 'Nothing to change' : `${told.join(', ')}${conditional}`;
  return style.strong(`${changes}; ${summary.unchanged} unchanged, ${summary.unmanaged} unmanaged.`);
}

function forecastLines({ forecast }: PlanTextOptions): readonly string[] {
  if (forecast === null || forecast.requests === 0) return [];
  const requests = forecast.requests === 1 ? '1 request' : `${forecast.requests} requests`;
  const writes = forecast.writes === 1 ? '1 of them a write' : `${forecast.writes} of them writes`;
  const limit = forecast.limit === null ? '' : ` (${forecast.limit} a minute per endpoint)`;
  return [`${requests}, ${writes}, about ${showSeconds(forecast.seconds)}${limit}.`];
}

export function showSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

function renderWithheld(plan: Plan, options: PlanTextOptions): readonly string[] {
  return plan.withheld.map(({ domain, part, reason }) => {
    const what = part === 'domain' ? '' : ', deletes and what narrows';
    return options.style.warning(`withheld: ${domain}${what}: ${safe(reason, options)}`);
  });
}

function guardLines(finding: GuardFinding, options: PlanTextOptions): readonly string[] {
  const { guard, scope, planned, limit, allow, allowed, refuses } = finding;
  const verdict = allowed ? 'allowed' : refuses ? 'refused' : 'withheld';
  const head = `guard ${guard} (${scope}), ${planned} against ${limit}, ${verdict}: ${safe(finding.message, options)}`;
  const way = allowed || allow === null ? [] : [`  allow it with ${safe(allow, options)}`];
  const paint = allowed ? options.style.dim : options.style.error;
  return [paint(head), ...way];
}

function noteLines(
  severity: 'error' | 'warning',
  note: Warning,
  options: PlanTextOptions,
): readonly string[] {
  const place = note.source === null ? '' : `${escapeInvisible(showSource(note.source))}: `;
  const hint = note.hint === undefined ? '' : `; ${safe(note.hint, options)}`;
  return [options.style[severity](`${place}${severity} ${note.code}: ${safe(note.message, options)}${hint}`)];
}

function showOf(options: PlanTextOptions): Show {
  return {
    forward: (forward) => escapeInvisible(showForward(forward, options.disclosure)),
    text: (text) => safe(text, options),
  };
}

/** On one line, nothing hidden in it, references and masks applied. */
function safe(text: string, { disclosure }: PlanTextOptions): string {
  return escapeInvisible(showText(text, disclosure));
}

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}
