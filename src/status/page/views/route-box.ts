import { html, type Html } from './html.ts';
import type { OverviewQuery } from '../query.ts';

/** Where mail to an address goes, as `fwdsync route` says it. */
export interface RouteAnswer {
  /** `unclear`: there is no answer, and the lines say why. */
  readonly kind: 'way' | 'unclear';
  readonly headline: string;
  readonly lines: readonly string[];
}

export function renderRouteBox(
  answer: RouteAnswer | null,
  { basePath, query }: { readonly basePath: string; readonly query: OverviewQuery },
): Html {
  const { q, state, route } = query;
  return html`<section class="card" aria-labelledby="route-title">
    <h2 id="route-title">Where does mail go?</h2>
    <form class="filter" action="${basePath}/">
      <label
        >Mail to
        <input
          name="route"
          id="route"
          value="${route}"
          inputmode="email"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          placeholder="sales@acme.example"
      /></label>
      ${q === '' ? null : html`<input type="hidden" name="q" value="${q}" />`}
      ${state === null ? null : html`<input type="hidden" name="state" value="${state}" />`}
      <button>Ask</button>
    </form>
    ${answer === null ? null : renderAnswer(answer)}
  </section>`;
}

function renderAnswer({ kind, headline, lines }: RouteAnswer): Html {
  return html`<div class="answer ${kind}" id="answer" role="status">
    <p><b>${headline}</b></p>
    ${
      lines.length === 0
        ? null
        : html`<ul class="trace">
            ${lines.map((line) => html`<li>${line}</li>`)}
          </ul>`
    }
  </div>`;
}
