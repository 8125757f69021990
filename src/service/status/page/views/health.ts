import type { FleetState } from '../../../../core/model/status/fleet.ts';
import type { Action } from '../../../../core/model/plan.ts';
import { SYMBOLS } from '../../../../core/plan/render/render-text.ts';
import type { DiffLine } from '../data/diff-line.ts';
import { html, type Html } from './html.ts';
import { advice, brief } from './layout.ts';

/** Word and sign of each state, because colour alone must not carry a meaning. */
export const WORDS_OF_HEALTH: Readonly<Record<FleetState, { readonly sign: string; readonly word: string }>> =
  {
    unattended: { sign: '?', word: 'Unattended' },
    'not-receiving': { sign: '⊘', word: 'Not receiving' },
    failing: { sign: '✕', word: 'Failing' },
    withheld: { sign: '‖', word: 'Withheld' },
    frozen: { sign: '❄', word: 'Frozen' },
    drifted: { sign: '≠', word: 'Drifted' },
    unknown: { sign: '…', word: 'Not checked' },
    'in-sync': { sign: '✓', word: 'In sync' },
  };

export function healthBadge(state: FleetState): Html {
  const { sign, word } = WORDS_OF_HEALTH[state];
  return html`<span class="badge ${state}"><span aria-hidden="true">${sign}</span> ${word}</span>`;
}

const ACTION_WORDS: Readonly<Record<Action, string>> = {
  add: 'add',
  update: 'update',
  delete: 'delete',
  move: 'move',
};

/** Renders the changes of one domain. `more` stands for those that are left out; null means that none are. */
export function renderDiff(lines: readonly DiffLine[], more: Html | null): Html {
  const rest = more === null ? null : html`<li class="dim">${more}</li>`;
  return html`<ul class="diff">
    ${lines.map((line) => renderDiffItem(line, null))}${rest}
  </ul>`;
}

/** Renders one line of a diff. `more` stands at its end. */
export function renderDiffItem(line: DiffLine, more: Html | null): Html {
  const { action, kind, name, text, note, place } = line;
  const why = note === '' ? null : html` <span class="dim">${note}</span>`;
  return html`<li class="${action}">
    ${renderAction(line)} <span class="dim">${kind}</span> <b>${name}</b>
    ${brief(text)}${why}${placeOf(place)}${more}
  </li>`;
}

/** Renders the pending change of an entry. */
export function renderPending({ action, text }: { readonly action: Action; readonly text: string }): Html {
  return html`<p class="pending ${action}">
    <span aria-hidden="true" class="sign">${SYMBOLS[action]}</span> to
    ${ACTION_WORDS[action]}${text === '' ? '' : ':'} ${brief(text)}
  </p>`;
}

/** Renders the sign of an action, and its word for those who do not see it. */
function renderAction({ action }: { readonly action: Action }): Html {
  return html`<span aria-hidden="true" class="sign">${SYMBOLS[action]}</span
    ><span class="unseen">${ACTION_WORDS[action]}</span>`;
}

/** Renders a place as `file:line`. */
export function placeOf(place: string | null): Html | null {
  return place === null ? null : html` <code class="place">${place}</code>`;
}

/** Renders counts as `+1 ~2 -1`. */
export function pendingCounts(counts: Readonly<Record<Action, number>>): Html {
  const parts = (['add', 'update', 'delete', 'move'] as const).filter((action) => counts[action] > 0);
  return html`${parts.map((action) => {
    const word = `${counts[action]} to ${ACTION_WORDS[action]}`;
    return html`<span class="count ${action}" title="${word}">${SYMBOLS[action]}${counts[action]}</span> `;
  })}`;
}

/** Renders advice. */
export function resolution(text: string | Html): Html {
  return html`<p class="resolve">
    <span class="arrow" aria-hidden="true">→</span>
    <span class="unseen">What to do: </span>${typeof text === 'string' ? advice(text) : text}
  </p>`;
}
