import { showSource } from '../../model/manifest/problem.ts';
import { describeChange, partSuffix } from './describe.ts';
import type { ChangeDocument, GuardDocument, PlanDocument, WarningDocument } from '../document/document.ts';
import { codeSpan, fenceOf, htmlText, markdownText } from './markdown-text.ts';
import { printable } from '../document/printable.ts';
import { replaySentence, weightSum } from './replay.ts';
import { NO_ROUTES, routesByDomain, type RoutesShown } from './render-routes.ts';
import { SYMBOLS } from './render-text.ts';
import { countsSentence, forecastSentence, runsInPart, unchangedIn, usageSentence } from './totals.ts';
import { isRefused } from '../withhold.ts';

/** A comment on GitHub takes 65,536 characters. */
export const MOST_CHARACTERS = 60_000;
/** Characters reserved for the sentence that counts what was cut, and for the ends of blocks. */
const RESERVE = 600;
/** The most domains in the table. */
const MOST_ROWS = 50;

/** Lines that belong together. If they do not fit, the cut is between two of `lines`, never within one. */
interface Block {
  readonly head: readonly string[];
  readonly lines: readonly string[];
  readonly tail: readonly string[];
  /** The noun for one line, to count the cut ones. */
  readonly unit: string;
}

/**
 * Renders a plan as a comment or a step summary: verdict, counts by domain, guards, deletes, then the other changes
 * folded by domain, warnings last. Lines beyond `MOST_CHARACTERS` are counted.
 */
export function renderPlanMarkdown(document: PlanDocument, routes: RoutesShown): string {
  const plan = printable(document);
  const deletes = plan.changes.filter(isDelete);
  const others = Map.groupBy(
    plan.changes.filter((change) => !isDelete(change)),
    ({ domain }) => domain,
  );
  return fit([
    verdict(plan),
    listBlock(
      'Guards',
      plan.guards.map((finding) => guardLine(finding, plan)),
      'guards',
    ),
    listBlock('Problems', plan.problems.map(noteLine), 'problems'),
    listBlock('Withheld', plan.withheld.map(withheldLine), 'withheld domains'),
    ...(deletes.length === 0 ? [] : [deletesBlock(deletes)]),
    summaryTable(plan),
    routesBlock(plan, routes),
    ...[...others].map(([domain, changes]) => domainBlock(domain, changes)),
    listBlock('Warnings', plan.warnings.filter(isWarning).map(noteLine), 'warnings'),
    listBlock('Notices', plan.warnings.filter((finding) => !isWarning(finding)).map(noteLine), 'notices'),
    footer(plan),
  ]);
}

function isWarning({ severity }: WarningDocument): boolean {
  return severity === 'warning';
}

function isDelete({ action }: ChangeDocument): boolean {
  return action === 'delete';
}

function verdict(plan: PlanDocument): Block {
  const refused = isRefused(plan) && !runsInPart(plan);
  const state = refused
    ? 'Refused by a guard: nothing will be applied.'
    : plan.problems.length > 0
      ? 'Has problems: the affected items will not be applied.'
      : plan.changes.length === 0
        ? 'Nothing to do.'
        : 'Ready to be applied.';
  const told = [countsSentence(plan), forecastSentence(plan), usageSentence(plan)];
  const sentences = [`**${state}**`, ...told.filter((sentence) => sentence !== null)];
  return { head: ['### fwdsync plan', '', sentences.join('  \n'), ''], lines: [], tail: [], unit: '' };
}

function listBlock(title: string, lines: readonly string[], unit: string): Block {
  if (lines.length === 0) return { head: [], lines, tail: [], unit };
  return { head: [`#### ${title}`, ''], lines: lines.map((line) => `- ${line}`), tail: [''], unit };
}

function guardLine(finding: GuardDocument, plan: PlanDocument): string {
  const { guard, scope, message, allow, allowed, refuses } = finding;
  const state = allowed ? 'allowed' : refuses && !runsInPart(plan) ? '**refused**' : '**withheld**';
  const way = allowed || allow === null ? '' : `; allow it with ${codeSpan(allow)}`;
  return `${state}: ${markdownText(message)} (${codeSpan(guard)}, ${codeSpan(scope)})${way}`;
}

function noteLine({ code, message, hint, source }: WarningDocument): string {
  const place = source === null ? '' : `${codeSpan(showSource(source))}: `;
  return `${place}${markdownText(message)} (${codeSpan(code)})${hint ? `; ${markdownText(hint)}` : ''}`;
}

function withheldLine({ domain, part, reason }: PlanDocument['withheld'][number]): string {
  return `${codeSpan(domain)}${partSuffix(part)}: ${markdownText(reason)}`;
}

function deletesBlock(deletes: readonly ChangeDocument[]): Block {
  const lines = deletes.map((change) =>
    diffLine(change, change.kind === 'domain' ? '' : `${change.domain} `),
  );
  const fence = fenceOf(lines);
  return { head: ['#### Deletes', '', `${fence}diff`], lines, tail: [fence, ''], unit: 'deletes' };
}

function domainBlock(domain: string, changes: readonly ChangeDocument[]): Block {
  const lines = changes.map((change) => diffLine(change, ''));
  const fence = fenceOf(lines);
  const counts = countActions(changes).map(([action, count]) => `${SYMBOLS[action]}${count}`);
  const summary = `<details><summary>${htmlText(domain)}: ${counts.join(' ')}</summary>`;
  return {
    head: [summary, '', `${fence}diff`],
    lines,
    tail: [fence, '', '</details>', ''],
    unit: 'changes',
  };
}

/** In a diff, GitHub colours lines by their first character; `!` marks a change. */
const MARKS = { add: '+', update: '!', delete: '-', move: '!' } as const;

function diffLine(change: ChangeDocument, place: string): string {
  const { text, note } = describeChange(change);
  const name = change.kind === 'domain' ? change.domain : change.name;
  const symbol = change.action === 'move' ? `${SYMBOLS.move} ` : '';
  const line = [`${place}${symbol}${change.kind} ${name}`, text, note]
    .filter((part) => part !== '')
    .join('  ');
  return `${MARKS[change.action]} ${line}`;
}

/** Renders the mail routes that change, as a diff. */
function routesBlock(plan: PlanDocument, shown: RoutesShown): Block {
  const domains = routesByDomain(plan, shown);
  const unit = 'routes';
  if (domains === null) return { head: [], lines: [], tail: [], unit };
  const title = ['#### Whose mail changes', ''];
  if (domains.length === 0) return { head: [...title, NO_ROUTES, ''], lines: [], tail: [], unit };
  const lines = domains.flatMap(({ rows, more }) => [
    ...rows.map(({ kind, who, text, note }) =>
      [`${ROUTE_MARKS[kind]} ${who}`, text, note].filter((part) => part !== '').join('  '),
    ),
    ...(more === null ? [] : [`  ${more}`]),
  ]);
  const fence = fenceOf(lines);
  const weight = replaySentence(plan);
  const said = weight === null ? [] : [weight, ''];
  return { head: [...title, ...said, `${fence}diff`], lines, tail: [fence, ''], unit };
}

const ROUTE_MARKS = { new: '+', lost: '-', reroute: '!', renamed: '!' } as const;

function summaryTable(plan: PlanDocument): Block {
  const domains = [...Map.groupBy(plan.changes, ({ domain }) => domain)];
  if (domains.length === 0) return { head: [], lines: [], tail: [], unit: '' };
  const weights = weightsOf(plan);
  const rows = domains.slice(0, MOST_ROWS).map(([domain, own]) => {
    const counts = new Map(countActions(own));
    const cells = ACTIONS.map((action) => String(counts.get(action) ?? 0));
    const isNew = own.some(({ kind, action }) => kind === 'domain' && action === 'add');
    const state = isNew ? 'new domain' : String(unchangedIn(plan, domain));
    return [codeSpan(domain), ...cells, state, ...(weights === null ? [] : [weights(domain)])];
  });
  const rest = domains.length - rows.length;
  const titles = ['domain', ...ACTIONS, 'unchanged', ...(weights === null ? [] : ['messages'])];
  const more = rest > 0 ? [`| … and ${rest} more ${'| '.repeat(titles.length - 1)}|`] : [];
  const head = [rowLine(titles), `|---|${'--:|'.repeat(titles.length - 1)}`];
  return { head, lines: [...rows.map(rowLine), ...more], tail: [''], unit: 'domains' };
}

function rowLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Returns the messages of a domain that would end elsewhere; null means that the plan was not weighed. */
function weightsOf({ replay, routes = [] }: PlanDocument): ((domain: string) => string) | null {
  if (replay === undefined) return null;
  const byDomain = Map.groupBy(routes, ({ domain }) => domain);
  return (domain) => weightSum(byDomain.get(domain) ?? []);
}

const ACTIONS = ['add', 'update', 'move', 'delete'] as const;

function countActions(
  changes: readonly ChangeDocument[],
): readonly (readonly [ChangeDocument['action'], number])[] {
  return ACTIONS.map(
    (action) => [action, changes.filter((change) => change.action === action).length] as const,
  ).filter(([, count]) => count > 0);
}

function footer({ api, digest }: PlanDocument): Block {
  const line = `Account ${codeSpan(api.account)}, plan ${codeSpan(digest)}.`;
  return { head: [line], lines: [], tail: [], unit: '' };
}

/** Keeps the blocks and lines that fit. The rest is counted by unit at the end. */
function fit(blocks: readonly Block[]): string {
  const kept: string[] = [];
  const cut = new Map<string, number>();
  let room = MOST_CHARACTERS - RESERVE;
  for (const { head, lines, tail, unit } of blocks) {
    const frame = sizeOf([...head, ...tail]);
    const shown = room < frame ? [] : lines.slice(0, countFitting(lines, room - frame));
    const rest = lines.length - shown.length;
    if (rest > 0) cut.set(unit, (cut.get(unit) ?? 0) + rest);
    if (room < frame || (shown.length === 0 && lines.length > 0)) continue;
    kept.push(...head, ...shown, ...tail);
    room -= frame + sizeOf(shown);
  }
  const counts = [...cut].map(([unit, count]) => `${count} ${unit}`);
  const notice =
    counts.length === 0 ? [] : ['', `**Cut, because there is no more room: ${counts.join(', ')}.**`];
  return `${[...kept, ...notice].join('\n')}\n`;
}

function countFitting(lines: readonly string[], room: number): number {
  let size = 0;
  const last = lines.findIndex((line) => (size += line.length + 1) > room);
  return last < 0 ? lines.length : last;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
