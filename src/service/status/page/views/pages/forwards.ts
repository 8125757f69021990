import type { ForwardsData } from '../../data/domain-data.ts';
import type { ForwardRow } from '../../data/forwards-data.ts';
import { domainHref } from '../../query.ts';
import { placeOf, renderPending } from '../health.ts';
import { html, type Html } from '../html.ts';
import { brief } from '../layout.ts';
import { renderPager, type OverviewContext } from '../listing-view.ts';
import { renderTable } from '../table.ts';

/** Renders the aliases and rules of a domain, one page of them. */
export function renderForwards(domain: string, data: ForwardsData, context: OverviewContext): Html {
  const { rows, pages, total } = data;
  const { basePath, query } = context;
  const { q } = query;
  const none =
    total === 0
      ? html`<p class="empty">No alias or rule of this domain is known.</p>`
      : html`<p class="empty">
          No forward contains this text. <a href="${domainHref(basePath, domain)}">Show all</a>
        </p>`;
  return html`<section aria-labelledby="forwards-title">
    <h2 id="forwards-title">Forwards</h2>
    ${renderSearch(domain, context)}
    <div id="forwards" data-part>
      ${rows.length === 0 ? none : renderTable(['Entry', 'Forwards to', 'Line'], rows.map(forwardRow), 'left')}
      ${renderPager(pages, 'forward', (page) => domainHref(basePath, domain, { q, page }))}
      ${notesOf(domain, data, context).map((note) => html`<p class="dim">${note}</p>`)}
    </div>
  </section>`;
}

function renderSearch(domain: string, { basePath, query }: OverviewContext): Html {
  return html`<form
    class="filter"
    action="${domainHref(basePath, domain)}"
    role="search"
    aria-label="Forwards"
  >
    <label
      >Name or destination
      <input
        type="search"
        name="q"
        id="q"
        value="${query.q}"
        autocomplete="off"
        spellcheck="false"
        placeholder="sales"
    /></label>
    <button>Show</button>
  </form>`;
}

const LONGEST_FORWARD = 600;

function forwardRow({ kind, name, match, to, isActive, pending, place }: ForwardRow): Html {
  const change = pending === null ? null : renderPending(pending);
  return html`<tr role="row">
    <td role="cell">
      <span class="dim">${kind}</span> <b class="name">${name}</b>
      ${match === null ? null : html`<p class="reason">${brief(match)}</p>`}
    </td>
    <td role="cell" class="to">
      ${to === null ? html`<span class="dim">not in the account yet</span>` : brief(to, LONGEST_FORWARD)}
      ${isActive ? null : html`<span class="dim">(not active)</span>`} ${change}
    </td>
    <td role="cell">${placeOf(place) ?? html`<span class="dim">only in the account</span>`}</td>
  </tr> `;
}

function notesOf(domain: string, { more, unkept }: ForwardsData, { command }: OverviewContext): Html[] {
  const notes: Html[] = [];
  if (more > 0)
    notes.push(
      html`… and ${more} more that only the account has:
        <code>${command(`export --domain ${domain}`)}</code> lists them`,
    );
  if (unkept > 0)
    notes.push(
      html`${unkept} more changes are pending that these rows do not show:
        <code>${command(`plan --domain ${domain}`)}</code> lists them`,
    );
  return notes;
}
