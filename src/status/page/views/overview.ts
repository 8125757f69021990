import { plural } from '../../../model/names.ts';
import { accountSection } from './accounts.ts';
import { WORDS_OF_HEALTH, pendingCounts, healthBadge, placeOf, renderDiff } from './health.ts';
import { html, type Html } from './html.ts';
import { ago, brief } from './layout.ts';
import type { DomainRow, OverviewData } from '../overview-data.ts';
import { HEALTHS, queryHref, type OverviewQuery } from '../query.ts';
import { renderDeliveries } from './deliveries.ts';
import { renderRuns } from './runs.ts';
import type { RunRow } from '../runs-data.ts';
import { renderRouteBox, type RouteAnswer } from './route-box.ts';

export interface OverviewContext {
  readonly basePath: string;
  readonly query: OverviewQuery;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface Overview {
  readonly data: OverviewData;
  readonly runs: readonly RunRow[];
  /** Null: nobody asks. */
  readonly answer: RouteAnswer | null;
}

/** How everything is: the verdict first, then what needs somebody, accounts that cannot be relied on before domains. */
export function renderOverview({ data, runs, answer }: Overview, context: OverviewContext): Html {
  const accounts = accountSection(data, context);
  const isUnready = data.accountTotals.notReady > 0;
  return html`
    ${renderVerdict(data, context)} ${renderRouteBox(answer, context)} ${isUnready ? accounts : null}
    ${renderDomains(data, context)} ${renderDeliveries(data.delivery, context)} ${isUnready ? null : accounts}
    ${renderRuns(runs, context)}
  `;
}

/** The whole page in one line. */
export function verdictOf(data: OverviewData): string {
  const { counts, total, accountTotals, delivery } = data;
  const { all, notReady } = accountTotals;
  if (all === 0) return 'No account is loaded yet';
  const bad = counts.failing + counts.withheld + counts.frozen + counts.drifted;
  const failing = delivery.troubles.length + delivery.more;
  const accounts =
    all === 1
      ? 'The account is not ready'
      : `${notReady} of ${all} accounts ${notReady === 1 ? 'is' : 'are'} not ready`;
  const needy = `${bad} of ${plural(total, 'domain')} ${bad === 1 ? 'needs' : 'need'} attention`;
  const parts = [
    ...(notReady > 0 ? [accounts] : []),
    ...(bad > 0 ? [needy] : []),
    ...(failing > 0 ? [`mail fails at ${plural(failing, 'place')}`] : []),
  ];
  if (parts.length === 0) return calmVerdict(data);
  const text = parts.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Where nothing is wrong. */
function calmVerdict({ counts, total }: OverviewData): string {
  if (counts.unknown > 0) return `${counts.unknown} of ${plural(total, 'domain')} not checked yet`;
  return total === 1 ? 'The domain is in sync' : `All ${total} domains are in sync`;
}

function renderVerdict(data: OverviewData, { basePath, query }: OverviewContext): Html {
  const { counts, total, accountTotals, delivery } = data;
  const isWell =
    accountTotals.notReady === 0 &&
    accountTotals.all > 0 &&
    counts['in-sync'] === total &&
    delivery.troubles.length === 0;
  const tiles = HEALTHS.filter((state) => counts[state] > 0).map((state) => {
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
    <h1 class="verdict ${isWell ? 'well' : 'unwell'}">
      <span aria-hidden="true">${isWell ? '✓' : '!'}</span> ${verdictOf(data)}
    </h1>
    <ul class="tiles" aria-label="Domains by state">
      ${tiles}
    </ul>
  </section>`;
}

function renderDomains(data: OverviewData, context: OverviewContext): Html {
  const { basePath, query } = context;
  const options = HEALTHS.map(
    (state) =>
      html`<option value="${state}" ${query.state === state ? html`selected` : null}>
        ${WORDS_OF_HEALTH[state].word}
      </option>`,
  );
  return html`<section aria-labelledby="domains-title">
    <h2 id="domains-title">Domains</h2>
    <form class="filter" action="${basePath}/" role="search" aria-label="Domains">
      <label
        >Name
        <input
          type="search"
          name="q"
          id="q"
          value="${query.q}"
          autocomplete="off"
          spellcheck="false"
          placeholder="acme.example"
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
    </form>
    <div id="domains" data-part>
      ${data.domains.length === 0 ? renderNothing(data, context) : renderTable(data, context)}
      ${renderPager(data, context)}
    </div>
  </section>`;
}

function renderNothing({ total }: OverviewData, { basePath, query }: OverviewContext): Html {
  if (total === 0) return html`<p class="empty">No manifest is loaded yet: the accounts below say why.</p>`;
  const all = queryHref(basePath, { ...query, q: '', state: null, page: 1 });
  return html`<p class="empty">No domain matches this filter. <a href="${all}">Show all</a></p>`;
}

function renderTable(data: OverviewData, context: OverviewContext): Html {
  const isMany = data.accountTotals.all > 1;
  const isAlone = data.domains.length === 1;
  return html`<table role="table">
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col">State</th>
        <th role="columnheader" scope="col">Domain</th>
        <th role="columnheader" scope="col" class="right">Last read</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${data.domains.map((row) => domainRow(row, { ...context, isMany, isAlone }))}
    </tbody>
  </table>`;
}

interface RowContext extends OverviewContext {
  readonly isMany: boolean;
  readonly isAlone: boolean;
}

function domainRow(row: DomainRow, { now, isMany, isAlone }: RowContext): Html {
  const { domain, account, state, reason, place, readAt } = row;
  return html`<tr role="row">
    <td role="cell">${healthBadge(state)}</td>
    <td role="cell">
      <b class="name">${domain}</b>
      ${isMany ? html`<span class="dim">${account}</span>` : null}${placeOf(place)}
      ${reason === null ? null : html`<p class="reason">${brief(reason)}</p>`} ${resolution(row)}
      ${row.lines.length === 0 && row.more === 0 ? null : pendingPlan(row, isAlone)}
    </td>
    <td role="cell" class="right dim">${ago(readAt, now)}</td>
  </tr> `;
}

/** What a person can do. */
function resolution({ state, resolve, mode }: DomainRow): Html | null {
  const byItself = mode === 'apply' ? 'the next run applies it' : 'fwdsync apply (this daemon only reports)';
  const text = resolve ?? (state === 'drifted' ? byItself : null);
  if (text === null) return null;
  return html`<p class="resolve">
    <span class="arrow" aria-hidden="true">→</span> <span class="unseen">What to do: </span>${brief(text)}
  </p>`;
}

function pendingPlan({ domain, pending, lines, more }: DomainRow, isAlone: boolean): Html {
  return html`<details id="plan-${domain}" ${isAlone ? html`open` : null}>
    <summary>Pending plan ${pendingCounts(pending)}</summary>
    ${renderDiff(lines, more === 0 ? null : html`… and ${more} more: <code>fwdsync plan --domain ${domain}</code> lists them`)}
  </details>`;
}

function renderPager({ pages }: OverviewData, { basePath, query }: OverviewContext): Html | null {
  const { page, last, matching } = pages;
  if (last === 1) return null;
  const link = (to: number, text: string, rel: string): Html =>
    to < 1 || to > last
      ? html`<span class="dim">${text}</span>`
      : html`<a rel="${rel}" href="${queryHref(basePath, query, { page: to })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages">
    ${link(page - 1, '← Previous', 'prev')}
    <span>Page ${page} of ${last}, ${plural(matching, 'domain')}</span> ${link(page + 1, 'Next →', 'next')}
  </nav>`;
}
