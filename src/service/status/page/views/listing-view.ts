import { FLEET_STATES, type FleetState } from '../../../../core/model/status/fleet.ts';
import { plural } from '../../../../core/model/names.ts';
import type { ListedRow, ListedPage, Pages } from '../listed-page.ts';
import { domainHref, isNarrowed, queryHref, type OverviewQuery } from '../query.ts';
import { WORDS_OF_HEALTH, healthBadge, pendingCounts, placeOf, renderDiff, resolution } from './health.ts';
import { html, type Html } from './html.ts';
import { advice, ago, brief } from './layout.ts';
import { renderTable } from './table.ts';

export interface OverviewContext {
  readonly basePath: string;
  readonly query: OverviewQuery;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly command: (words: string) => string;
}

export interface PageVerdict {
  /** `open`: nothing is wrong, and not everything was checked yet. */
  readonly mood: 'well' | 'unwell' | 'open';
  readonly text: string;
}

const SIGNS = { well: '✓', unwell: '!', open: '…' } as const;

const TITLES = { domain: 'Domains', account: 'Accounts' } as const;
const EXAMPLES = { domain: 'acme.example', account: 'ops@acme.example' } as const;

/** Renders the whole page in one line, with the count of each state. */
export function renderVerdict(
  { mood, text }: PageVerdict,
  { noun, counts }: ListedPage,
  { basePath, query }: OverviewContext,
): Html {
  const tiles = FLEET_STATES.filter((state) => counts[state] > 0).map((state) => {
    const isChosen = query.state === state;
    const href = queryHref(basePath, query, { state: isChosen ? null : state, page: 1 });
    const { sign, word } = WORDS_OF_HEALTH[state];
    return html`<li>
      <a class="tile ${state}" href="${href}" ${isChosen ? html`aria-current="true"` : null}>
        <span aria-hidden="true">${sign}</span> <b>${counts[state]}</b> ${word}</a
      >
    </li>`;
  });
  return html`<section id="verdict" data-part>
    <h1 class="verdict ${mood}"><span aria-hidden="true">${SIGNS[mood]}</span> ${text}</h1>
    <ul class="tiles" aria-label="${TITLES[noun]} by state">
      ${tiles}
    </ul>
  </section>`;
}

const STATE_PHRASES = [
  ['unattended', 'is unattended', 'are unattended'],
  ['not-receiving', 'does not receive mail', 'do not receive mail'],
  ['failing', 'is failing', 'are failing'],
  ['withheld', 'is withheld', 'are withheld'],
  ['frozen', 'is frozen', 'are frozen'],
  ['drifted', 'has drifted', 'have drifted'],
] as const;

/** Names the most severe state, with the number of others that need attention. null means that none does. */
export function attentionText({
  noun,
  counts,
  total,
}: Pick<ListedPage, 'noun' | 'counts' | 'total'>): string | null {
  const bad = STATE_PHRASES.filter(([state]) => counts[state] > 0);
  const [worst] = bad;
  if (worst === undefined) return null;
  const [state, one, several] = worst;
  const rest = bad.slice(1).reduce((sum, [other]) => sum + counts[other], 0);
  const more = rest === 0 ? '' : `, ${rest} more ${rest === 1 ? 'needs' : 'need'} attention`;
  return `${counts[state]} of ${plural(total, noun)} ${counts[state] === 1 ? one : several}${more}`;
}

const URGENT: ReadonlySet<FleetState> = new Set(STATE_PHRASES.map(([state]) => state));

/** Returns the rows that need attention. */
export function urgentRows({ rows }: Pick<ListedPage, 'rows'>): readonly ListedRow[] {
  return rows.filter(({ state }) => URGENT.has(state));
}

/** Takes the rows that need attention out of the first page of a list, unless it is filtered. */
export function splitUrgent<Listing extends ListedPage>(
  listing: Listing,
  query: OverviewQuery,
): { readonly urgent: readonly ListedRow[]; readonly rest: Listing } {
  if (isNarrowed(query)) return { urgent: [], rest: listing };
  const rows = listing.rows.filter((row) => !URGENT.has(row.state));
  return { urgent: urgentRows(listing), rest: { ...listing, rows } };
}

/** Renders rows that need attention. The part exists even without rows, so that it can be refreshed. */
export function renderAttention(
  noun: ListedPage['noun'],
  rows: readonly ListedRow[],
  context: OverviewContext,
): Html {
  return html`<div id="attention" data-part>${renderUrgent(noun, rows, context)}</div>`;
}

export function renderUrgent(
  noun: ListedPage['noun'],
  rows: readonly ListedRow[],
  context: OverviewContext,
): Html | null {
  if (rows.length === 0) return null;
  return html`<section aria-labelledby="attention-title">
    <h2 id="attention-title">Needs attention</h2>
    ${renderRows(noun, rows, context)}
  </section>`;
}

/** Renders one page of the matching rows, worst first. `whereNone` is the text if there are no rows at all. */
export function renderListing(listing: ListedPage, whereNone: string, context: OverviewContext): Html {
  const { noun, rows, total } = listing;
  const title = TITLES[noun];
  return html`<section aria-labelledby="${noun}s-title">
    <h2 id="${noun}s-title">${title}</h2>
    ${renderFilter(noun, context)}
    <div id="${noun}s" data-part>
      ${total === 0 ? html`<p class="empty">${advice(whereNone)}</p>` : null}
      ${total > 0 && rows.length === 0 ? renderNoMatch(noun, context) : null}
      ${rows.length > 0 ? renderRows(noun, rows, context) : null}
      ${renderPager(listing.pages, noun, (page) => queryHref(context.basePath, context.query, { page }))}
    </div>
  </section>`;
}

function renderFilter(noun: ListedPage['noun'], { basePath, query }: OverviewContext): Html {
  const options = FLEET_STATES.filter((state) => noun === 'account' || state !== 'unattended').map(
    (state) =>
      html`<option value="${state}" ${query.state === state ? html`selected` : null}>
        ${WORDS_OF_HEALTH[state].word}
      </option>`,
  );
  return html`<form class="filter" action="${basePath}/" role="search" aria-label="${TITLES[noun]}">
    <label
      >Name
      <input
        type="search"
        name="q"
        id="q"
        value="${query.q}"
        autocomplete="off"
        spellcheck="false"
        placeholder="${EXAMPLES[noun]}"
    /></label>
    <label
      >State
      <select name="state" id="state">
        <option value="">All</option>
        ${options}
      </select></label
    >
    ${query.route === '' ? null : html`<input type="hidden" name="route" value="${query.route}" />`}
    <button>Show</button>
  </form>`;
}

function renderNoMatch(noun: ListedPage['noun'], { basePath, query }: OverviewContext): Html {
  if (query.q === '' && query.state === null)
    return html`<p class="empty">Every ${noun} of this page needs attention.</p>`;
  const all = queryHref(basePath, { ...query, q: '', state: null, page: 1 });
  return html`<p class="empty">No ${noun} matches this filter. <a href="${all}">Show all</a></p>`;
}

function renderRows(noun: ListedPage['noun'], rows: readonly ListedRow[], context: OverviewContext): Html {
  const headings = ['State', noun === 'domain' ? 'Domain' : 'Account', 'Last read'];
  const isAlone = rows.length === 1;
  return renderTable(
    headings,
    rows.map((row) => listedRow(noun, row, context, isAlone ? html`open` : null)),
    'right',
  );
}

function listedRow(
  noun: ListedPage['noun'],
  row: ListedRow,
  { basePath, now, command }: OverviewContext,
  open: Html | null,
): Html {
  const { name, detail, state, reason, resolve, place, readAt } = row;
  const title = noun === 'domain' ? html`<a href="${domainHref(basePath, name)}">${name}</a>` : name;
  return html`<tr role="row">
    <td role="cell">${healthBadge(state)}</td>
    <td role="cell">
      <b class="name">${title}</b>
      ${detail === null ? null : html`<span class="dim">${detail}</span>`}${placeOf(place)}
      ${reason === null ? null : html`<p class="reason">${brief(reason)}</p>`}
      ${resolve === null ? null : resolution(resolve)} ${pendingPlan(row, command, open)}
    </td>
    <td role="cell" class="right dim">${ago(readAt, now)}</td>
  </tr> `;
}

/** Renders the pending changes of a row, folded. */
export function pendingPlan(
  { name, plan }: ListedRow,
  command: OverviewContext['command'],
  open: Html | null,
): Html | null {
  if (plan === null) return null;
  const { pending, lines, more } = plan;
  const rest = html`… and ${more} more: <code>${command(`plan --domain ${name}`)}</code> lists them`;
  return html`<details id="plan-${name}" ${open}>
    <summary>Pending plan ${pendingCounts(pending)}</summary>
    ${renderDiff(lines, more === 0 ? null : rest)}
  </details>`;
}

/** Renders the links to the pages of a list; null if there is only one page. */
export function renderPager(
  { page, last, matching }: Pages,
  noun: string,
  hrefOf: (page: number) => string,
): Html | null {
  if (last === 1) return null;
  const link = (to: number, text: string, rel: string): Html =>
    to < 1 || to > last
      ? html`<span class="dim">${text}</span>`
      : html`<a rel="${rel}" href="${hrefOf(to)}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages">
    ${link(page - 1, '← Previous', 'prev')}
    <span>Page ${page} of ${last}, ${plural(matching, noun)}</span> ${link(page + 1, 'Next →', 'next')}
  </nav>`;
}

/** Renders the link to the view for a screen on a wall. */
export function renderWallLink({ basePath }: Pick<OverviewContext, 'basePath'>): Html {
  return html`<p class="dim"><a href="${basePath}/?view=wall">View for a screen on a wall</a></p>`;
}
