import { showText, type Disclosure } from '../model/disclosure.ts';
import { escapeInvisible, type DomainName } from '../model/names.ts';
import type { Action, Change, Forecast, Plan } from '../model/plan.ts';
import { showSource } from '../model/problem.ts';
import { shownFields } from './fields.ts';

/** How parts of a plan are painted; colour never carries a meaning alone. */
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
  readonly forecast: Forecast;
  readonly disclosure: Disclosure;
  readonly style: PlanStyle;
}

const SIGNS: Readonly<Record<Action, string>> = { add: '+', update: '~', delete: '-', move: '↕' };
const PAINT: Readonly<Record<Action, 'add' | 'update' | 'remove' | 'move'>> = {
  add: 'add',
  update: 'update',
  delete: 'remove',
  move: 'move',
};
const COUNTS_COLUMN = 48;
const LONGEST_NAME_COLUMN = 24;

/** A plan as a diff, grouped by domain, one line a change; then counts, forecast, guards and warnings. */
export function renderPlan(plan: Plan, options: PlanTextOptions): string {
  const groups = Map.groupBy(plan.changes, ({ domain }) => domain);
  const sections = [...groups].map(([domain, changes]) => renderDomain(plan, domain, changes, options));
  const footer = [
    renderCounts(plan),
    ...(plan.changes.length === 0 ? [] : [renderForecast(options.forecast)]),
    ...renderFindings(plan, options),
  ];
  return [...sections, `${footer.join('\n')}\n`].join('\n');
}

function renderDomain(
  plan: Plan,
  domain: DomainName,
  changes: readonly Change[],
  { style, disclosure }: PlanTextOptions,
): string {
  const width = Math.min(
    LONGEST_NAME_COLUMN,
    Math.max(...changes.map(({ name }) => escapeInvisible(name).length)),
  );
  const lines = changes.map((change) => style[PAINT[change.action]](renderChange(change, width, disclosure)));
  const counts = (['add', 'update', 'delete', 'move'] as const)
    .map((action) => [SIGNS[action], changes.filter((change) => change.action === action).length] as const)
    .filter(([, count]) => count > 0)
    .map(([sign, count]) => `${sign}${count}`);
  const isNew = changes.some(({ kind, action }) => kind === 'domain' && action === 'add');
  const note = isNew ? 'new domain' : `${plan.unchanged.get(domain) ?? 0} unchanged`;
  const title = `${domain.padEnd(COUNTS_COLUMN - 1)} `;
  return `${style.strong(title)}${counts.join(' ')}   ${style.dim(note)}\n${lines.join('\n')}\n`;
}

function renderChange(change: Change, width: number, disclosure: Disclosure): string {
  const { action, kind, name } = change;
  const subject =
    kind === 'domain'
      ? ''
      : `${kind === 'credential' ? 'cred.' : kind.padEnd(5)}  ${escapeInvisible(name).padEnd(width)}`;
  const detail =
    kind === 'domain'
      ? `domain ${describeDomain(change, disclosure)}`.trimEnd()
      : describe(change, disclosure);
  const note = noteOf(change);
  return `  ${SIGNS[action]} ${subject}${subject === '' ? '' : '  '}${detail}${note === '' ? '' : `   ${note}`}`.trimEnd();
}

function describeDomain(change: Change, disclosure: Disclosure): string {
  if (change.kind !== 'domain') return '';
  if (change.action === 'delete') {
    const { aliases = 0, rules = 0, credentials = 0 } = change.contents ?? {};
    return `with ${aliases} aliases, ${rules} rules and ${credentials} credentials`;
  }
  return describe(change, disclosure);
}

function describe(change: Change, disclosure: Disclosure): string {
  if (change.kind === 'rule' && change.action === 'move') return placeOf(change.after);
  const before = shownFields(change, 'observed', disclosure);
  const after = shownFields(change, 'desired', disclosure);
  if (change.action === 'update' || change.action === 'move') {
    return change.fields
      .map((field) => describeField(field, before?.[field], after?.[field], change))
      .filter((text) => text !== '')
      .join('; ');
  }
  const forward = (after ?? before)?.['forward'];
  if (forward !== undefined) return showValue(forward);
  const settings = Object.entries(after ?? before ?? {}).map(
    ([name, value]) => `${name} ${showValue(value)}`,
  );
  return settings.join('; ');
}

function describeField(field: string, before: unknown, after: unknown, change: Change): string {
  if (field === 'rank') return change.kind === 'rule' ? placeOf(change.after) : '';
  if (field === 'password') return 'new password';
  const label = field === 'forward' ? '' : `${field} `;
  return `${label}${showValue(before)} -> ${showValue(after)}`;
}

function placeOf(after: string | null): string {
  return after === null ? 'first' : `after ${escapeInvisible(after)}`;
}

function showValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (Array.isArray(value)) return value.map(showValue).join(', ');
  return escapeInvisible(typeof value === 'string' ? value : JSON.stringify(value));
}

function noteOf(change: Change): string {
  if (change.conditional) {
    return change.action === 'delete' ? '(if the service made one)' : '(updated, if the service made one)';
  }
  return change.reason === 'manifest' || change.reason === 'reorder' ? '' : change.reason;
}

function renderCounts({ summary }: Plan): string {
  const conditional = summary.conditional === 0 ? '' : `, ${summary.conditional} of them conditional`;
  return `${summary.add} to add, ${summary.update} to update, ${summary.move} to move, ${summary.delete} to delete${conditional}; ${summary.unchanged} unchanged, ${summary.unmanaged} unmanaged.`;
}

function renderForecast({ requests, writes, seconds }: Forecast): string {
  return `${requests} requests, ${writes} of them writes, about ${showDuration(seconds)}.`;
}

function showDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.ceil(seconds))} s`;
  return `${Math.ceil(seconds / 60)} min`;
}

function renderFindings(plan: Plan, { style, disclosure }: PlanTextOptions): readonly string[] {
  const safe = (text: string): string => escapeInvisible(showText(text, disclosure));
  const guards = plan.guards.map(({ guard, scope, message, allow, allowed }) => {
    const way = allow === null ? 'nothing allows it' : `to allow it: ${allow}`;
    return allowed
      ? `${style.warning('allowed')}: ${guard} (${scope}): ${safe(message)}`
      : `${style.error('guard')}: ${guard} (${scope}): ${safe(message)}; ${way}`;
  });
  const withheld = plan.withheld.map(
    ({ domain, reason }) => `${style.warning('withheld')}: ${domain}: ${safe(reason)}`,
  );
  const warnings = plan.warnings.map(({ code, message, hint, source }) => {
    const place = source === null ? '' : `${showSource(source)}: `;
    return `${place}${style.warning('warning')}: ${safe(message)} ${style.dim(`[${code}]`)}${hint === undefined ? '' : `\n    ${style.dim('try:')} ${safe(hint)}`}`;
  });
  const findings = [...guards, ...withheld, ...warnings];
  return findings.length === 0 ? [] : ['', ...findings];
}
