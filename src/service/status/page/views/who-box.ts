import { domainHref, type OverviewQuery } from '../query.ts';
import { placeOf, resolution } from './health.ts';
import { html, type Html } from './html.ts';
import { brief } from './layout.ts';

/** Mail that ends at a destination, as `fwdsync who` shows it. */
export type WhoBoxAnswer =
  | { readonly kind: 'unclear'; readonly headline: string; readonly hint: string }
  | {
      readonly kind: 'found';
      readonly headline: string;
      readonly entries: readonly WhoLine[];
      /** Number of entries that are not listed. */
      readonly more: number;
      readonly notes: readonly string[];
      /** The command that replaces the destination; null means that there is none. */
      readonly next: string | null;
      /** The command that lists everything. */
      readonly all: string;
    };

export interface WhoLine {
  readonly domain: string;
  readonly title: string;
  readonly facts: string;
  readonly places: readonly string[];
}

/** Renders the question which mail ends at a destination, and its answer. */
export function renderWhoBox(
  answer: WhoBoxAnswer | null,
  { basePath, query }: { readonly basePath: string; readonly query: OverviewQuery },
): Html {
  return html`<section class="card" aria-labelledby="to-title">
    <form class="ask" action="${basePath}/#to-title">
      <h2 id="to-title"><label for="to">Which addresses forward to</label></h2>
      <input
        name="to"
        id="to"
        value="${query.to}"
        inputmode="email"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        placeholder="ben@corp.example"
      />
      <span aria-hidden="true">?</span>
      <button>Ask</button>
    </form>
    ${answer === null ? null : renderAnswer(answer, basePath)}
  </section>`;
}

function renderAnswer(answer: WhoBoxAnswer, basePath: string): Html {
  if (answer.kind === 'unclear') {
    return html`<div class="answer unclear" id="senders" role="status">
      <p><b>${answer.headline}</b></p>
      <p>${answer.hint}</p>
    </div>`;
  }
  const { headline, entries, more, notes, next, all } = answer;
  return html`<div class="answer" id="senders" role="status">
    <p><b>${headline}</b></p>
    ${
      entries.length === 0
        ? null
        : html`<ul class="trace">
            ${entries.map((entry) => whoItem(entry, basePath))}
          </ul>`
    }
    ${more === 0 ? null : html`<p>… and ${more} more: <code>${all}</code> lists them</p>`}
    ${notes.map((note) => html`<p>${brief(note)}</p>`)}
    ${next === null ? null : resolution(html`<code>${next}</code>`)}
  </div>`;
}

function whoItem({ domain, title, facts, places }: WhoLine, basePath: string): Html {
  const about = facts === '' ? null : html` <span class="dim">${facts}</span>`;
  return html`<li><a href="${domainHref(basePath, domain)}">${title}</a>${about}${places.map(placeOf)}</li> `;
}
