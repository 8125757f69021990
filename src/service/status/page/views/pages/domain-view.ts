import type { LiveEngine } from '../../../../../core/model/observed.ts';
import type { DomainData } from '../../data/domain-data.ts';
import type { ItemChange } from '../../data/runs-data.ts';
import { renderDeliveries } from '../deliveries.ts';
import { healthBadge, placeOf, renderDiffItem, resolution } from '../health.ts';
import { html, type Html } from '../html.ts';
import { ago, brief } from '../layout.ts';
import { pendingPlan, type OverviewContext } from '../listing-view.ts';
import { renderForwards } from './forwards.ts';

/** Renders one domain: its state and pending plan, failing mail, forwards, and last changes. */
export function renderDomainPage(
  { account, row, engine, delivery, forwards }: DomainData,
  changes: readonly ItemChange[],
  context: OverviewContext,
): Html {
  const { name, state, reason, resolve, place, readAt } = row;
  const { basePath, now, command } = context;
  return html`<section class="card" id="domain" data-part>
      <h1><span class="name">${name}</span> ${healthBadge(state)}</h1>
      <p>
        <b>${account}</b> ·
        ${readAt === null ? 'not read yet' : html`read ${ago(readAt, now)}`}${placeOf(place)}
      </p>
      <p class="dim">${engineText(engine, readAt)}</p>
      ${reason === null ? null : html`<p class="reason">${brief(reason)}</p>`}
      ${resolve === null ? null : resolution(resolve)} ${pendingPlan(row, command, html`open`)}
    </section>
    ${delivery.troubles.length > 0 ? renderDeliveries(delivery, context) : null}
    ${renderForwards(name, forwards, context)} ${renderChanges(changes, context)}
    <p><a href="${basePath}/">← Overview</a></p>`;
}

/** Renders the answer about a domain that no manifest names. `whereElse` says where it may be found. */
export function renderMissingDomain(basePath: string, whereElse: string): Html {
  return html`<section class="card narrow" aria-labelledby="missing-title">
    <h1 id="missing-title">No such domain</h1>
    <p>${whereElse}</p>
    <p><a href="${basePath}/">← Overview</a></p>
  </section>`;
}

function engineText(engine: LiveEngine, readAt: number | null): string {
  if (readAt === null) return 'The forwards are those of the manifest: the account was not read yet.';
  switch (engine) {
    case 'alias':
      return 'Aliases route the mail of this domain; its rules are not used.';
    case 'rules':
      return 'Rules route the mail of this domain, in this order; its aliases are not used.';
    case 'none':
      return 'Routing is switched off: all mail to this domain is refused.';
    case null:
      return 'The service does not show if aliases or rules route the mail of this domain.';
  }
}

function renderChanges(
  changes: readonly ItemChange[],
  { basePath, now }: Pick<OverviewContext, 'basePath' | 'now'>,
): Html {
  const items = changes.map(({ run, at, line }) =>
    renderDiffItem(
      line,
      html` <a href="${basePath}/runs/${encodeURIComponent(run)}">${run}</a>
        <span class="dim">${ago(at, now)}</span>`,
    ),
  );
  return html`<section aria-labelledby="changes-title">
    <h2 id="changes-title">Last changes</h2>
    <div id="changes" data-part>
      ${
        items.length === 0
          ? html`<p class="empty">No run has changed anything here yet.</p>`
          : html`<ul class="diff card">
              ${items}
            </ul>`
      }
    </div>
  </section>`;
}
