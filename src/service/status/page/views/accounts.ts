import { html, type Html } from './html.ts';
import { advice, ago, brief } from './layout.ts';
import { renderTable } from './table.ts';
import { placeOf } from './health.ts';
import type { AccountRow, OverviewData } from '../data/overview-data.ts';

const HEADINGS = ['State', 'Account', 'Last good read', 'Next check', 'Last run'];

/** Renders how each account is read: its manifest, last read, next read and remaining rate limit. */
export function accountSection(
  { accounts, accountTotals }: OverviewData,
  { now }: { readonly now: number },
): Html {
  const rest = accountTotals.matching - accounts.length;
  return html`<section aria-labelledby="accounts-title">
    <h2 id="accounts-title">Accounts</h2>
    <div id="accounts" data-part>
      ${renderTable(
        HEADINGS,
        accounts.map((row) => accountRow(row, now)),
        'left',
      )}
      ${rest > 0 ? html`<p class="dim">… and ${rest} more: filter by name to see them</p>` : null}
    </div>
  </section>`;
}

function accountRow(row: AccountRow, now: number): Html {
  const { name, isReady, mode, run, nextSweepAt, failures } = row;
  const ready = isReady
    ? html`<span class="badge in-sync"><span aria-hidden="true">✓</span> Ready</span>`
    : html`<span class="badge failing"><span aria-hidden="true">✕</span> Not ready</span>`;
  return html`<tr role="row">
    <td role="cell">${ready}</td>
    <td role="cell">
      <b class="name">${name}</b>
      <span class="dim">${mode === 'apply' ? 'applies changes' : 'only reports'}</span>
      ${manifestLines(row)}${faultLine(row)}${budgetLines(row)}
    </td>
    <td role="cell" data-label="Last good read">${lastRead(row, now)}</td>
    <td role="cell" data-label="Next check">
      ${nextSweepAt === null ? 'reading now' : ago(Math.max(nextSweepAt, now), now)}
    </td>
    <td role="cell" data-label="Last run">
      ${run === null ? 'none yet' : html`${run.outcome} ${ago(run.at, now)}`}${
        failures > 0 ? html`<br /><b>${failures} failed in a row</b>` : null
      }
    </td>
  </tr> `;
}

function lastRead({ readAt, isOld }: AccountRow, now: number): Html {
  if (!isOld) return ago(readAt, now);
  return html`<span class="badge old"><span aria-hidden="true">⚠</span> ${ago(readAt, now)}</span>
    <span class="dim">too old</span>`;
}

function manifestLines({ manifest, message, problems, moreProblems }: AccountRow): Html | null {
  if (manifest === 'not-read') return html`<p class="reason">The manifest was not read yet.</p>`;
  const head = message === null ? null : html`<p class="reason">${brief(message)}</p>`;
  if (problems.length === 0) return head;
  const items = problems.map(
    ({ severity, message, hint, place }) =>
      html`<li>
        <b>${severity}</b>: ${brief(message)}${placeOf(place)}
        <span class="resolve"><span class="arrow" aria-hidden="true">→</span> ${advice(hint)}</span>
      </li>`,
  );
  const more = moreProblems > 0 ? html`<li class="dim">… and ${moreProblems} more</li>` : null;
  if (manifest === 'refused')
    return html`${head}
      <ul class="problems">
        ${items}${more}
      </ul>`;
  return html`<details>
    <summary>Notes of the manifest (${problems.length + moreProblems})</summary>
    <ul class="problems">
      ${items}${more}
    </ul>
  </details>`;
}

function faultLine({ readFault }: AccountRow): Html | null {
  return readFault === null
    ? null
    : html`<p class="reason">The account cannot be read: ${brief(readFault)}</p>`;
}

function budgetLines({ budgets, name }: AccountRow): Html | null {
  const [tightest] = budgets.toSorted((a, b) => a.remaining / a.limit - b.remaining / b.limit);
  if (tightest === undefined) return null;
  const rows = budgets.map(
    ({ endpoint, limit, remaining }) =>
      html`<li><span class="meter">${remaining} of ${limit}</span> <code>${endpoint}</code></li>`,
  );
  return html`<details id="budget-${name}">
    <summary>Rate limit: at least ${tightest.remaining} of ${tightest.limit} requests left</summary>
    <ul class="budgets">
      ${rows}
    </ul>
  </details>`;
}
