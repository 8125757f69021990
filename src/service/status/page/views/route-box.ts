import { html, type Html } from './html.ts';
import { advice } from './layout.ts';
import type { OverviewQuery } from '../query.ts';

/** Way of mail to an address, as `fwdsync route` shows it. */
export interface RouteAnswer {
  /** `unclear` means that there is no answer, and the lines say why. */
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
    <form class="ask" action="${basePath}/#route-title">
      <h2 id="route-title"><label for="route">Where does mail to</label></h2>
      <input
        name="route"
        id="route"
        value="${route}"
        inputmode="email"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        placeholder="sales@acme.example"
      />
      <span>go?</span>
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
            ${lines.map((line) => html`<li>${advice(line)}</li>`)}
          </ul>`
    }
  </div>`;
}
