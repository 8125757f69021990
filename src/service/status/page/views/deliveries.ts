import { plural } from '../../../../core/model/names.ts';
import type { DeliveryData, TroubleRow } from '../data/delivery-data.ts';
import { domainHref } from '../query.ts';
import { placeOf, resolution } from './health.ts';
import { html, type Html } from './html.ts';
import { ago, brief } from './layout.ts';
import { renderTable } from './table.ts';

/** Renders failed deliveries if the email logs are followed. */
export function renderDeliveries(
  { isFollowed, reasons, troubles, more }: DeliveryData,
  { basePath, now }: { readonly basePath: string; readonly now: number },
): Html | null {
  if (!isFollowed) return null;
  const rows = troubles.map((row) => troubleRow(row, { basePath, now }));
  const fine = html`<p class="empty">No mail is known to fail.</p>`;
  const table = renderTable(['Mail', 'Where it fails', 'Since'], rows, 'right');
  return html`<section aria-labelledby="deliveries-title">
    <h2 id="deliveries-title">Failed deliveries</h2>
    <div id="deliveries" data-part>
      ${troubles.length === 0 ? fine : table}
      ${more > 0 ? html`<p class="dim">… and ${more} more: <a href="${basePath}/status">/status</a> lists them</p>` : null}
      ${reasons.map((reason) => html`<p class="dim">Not complete: ${brief(reason)}</p>`)}
    </div>
  </section>`;
}

function troubleRow(
  { domain, who, destination, since, count, message, place, why }: TroubleRow,
  { basePath, now }: { readonly basePath: string; readonly now: number },
): Html {
  const badge = html`<span class="badge failing"
    ><span aria-hidden="true">✕</span> ${plural(count, 'message')}</span
  >`;
  return html`<tr role="row">
    <td role="cell">${badge}</td>
    <td role="cell">
      <b class="name"><a href="${domainHref(basePath, domain)}">${domain}</a></b>
      ${who === null ? null : html`<span class="dim">${who}</span>`}${placeOf(place)}
      <p class="reason">
        ${destination === null ? 'refused' : html`to <b>${destination}</b>`}: ${brief(message)}
      </p>
      ${why === null ? null : resolution(html`<code>${why}</code>`)}
    </td>
    <td role="cell" class="right dim">${ago(since, now)}</td>
  </tr> `;
}
