import type { ListedPage } from '../../listed-page.ts';
import type { OverviewData } from '../../data/overview-data.ts';
import { accountSection } from '../accounts.ts';
import { renderDeliveries } from '../deliveries.ts';
import { html, type Html } from '../html.ts';
import {
  renderVerdict,
  renderUrgent,
  urgentRows,
  type OverviewContext,
  type PageVerdict,
} from '../listing-view.ts';

/** Renders a page for a screen on a wall: counters, and what needs attention. `first`: what comes before domains or accounts. */
export function renderWall(
  verdict: PageVerdict,
  listing: ListedPage,
  first: readonly (Html | null)[],
  context: OverviewContext,
): Html {
  const rows = urgentRows(listing).map((row) => ({ ...row, plan: null }));
  const { unknown, 'in-sync': inSync } = listing.counts;
  const more = listing.total - unknown - inSync - rows.length;
  return html`<div class="wall">
    ${renderVerdict(verdict, listing, { ...context, query: { ...context.query, view: 'whole' } })}
    <div id="attention" data-part>
      ${first} ${renderUrgent(listing.noun, rows, context)}
      ${more > 0 ? html`<p class="dim">… and ${more} more</p>` : null}
    </div>
    <p><a href="${context.basePath}/">Whole page</a></p>
  </div>`;
}

/** Returns failing mail and accounts that are not ready, for a wall. */
export function wallTroubles(data: OverviewData, context: OverviewContext): readonly (Html | null)[] {
  const { delivery, accountTotals } = data;
  const accounts = data.accounts.filter(({ isReady, isOld }) => !isReady || isOld);
  const matching = Math.max(accounts.length, accountTotals.notReady);
  return [
    delivery.troubles.length === 0 ? null : renderDeliveries(delivery, context),
    accounts.length === 0
      ? null
      : accountSection({ ...data, accounts, accountTotals: { ...accountTotals, matching } }, context),
  ];
}
