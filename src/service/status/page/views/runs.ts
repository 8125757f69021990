import { pendingCounts, renderDiff } from './health.ts';
import { html, type Html } from './html.ts';
import { ago, brief } from './layout.ts';
import { renderTable } from './table.ts';
import type { RunDetail, RunRow } from '../data/runs-data.ts';

interface RunsContext {
  readonly basePath: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly command: (words: string) => string;
}

/** Renders the last runs, with their authors. */
export function renderRuns(runs: readonly RunRow[], context: RunsContext): Html {
  return html`<section aria-labelledby="runs-title">
    <h2 id="runs-title">Last changes</h2>
    <div id="runs" data-part>
      ${runs.length === 0 ? html`<p class="empty">No run has changed anything yet.</p>` : runsTable(runs, context)}
    </div>
  </section>`;
}

function runsTable(runs: readonly RunRow[], { basePath, now }: RunsContext): Html {
  const rows = runs.map(
    (run) =>
      html`<tr role="row">
        <td role="cell"><a href="${basePath}/runs/${encodeURIComponent(run.id)}">${run.id}</a></td>
        <td role="cell">
          <b class="name">${run.account}</b>
          <span class="dim">${run.command} by ${brief(run.by, 80)}</span>${commitOf(run)}
        </td>
        <td role="cell">${outcomeBadge(run)} ${countsOfRun(run)}</td>
        <td role="cell" class="right dim">${ago(run.at, now)}</td>
      </tr> `,
  );
  return renderTable(['Run', 'Account', 'Changes', 'When'], rows, 'right');
}

/** Renders one run: its author, time, result and diff. */
export function renderRun(run: RunDetail, { basePath, now, command: commandOf }: RunsContext): Html {
  const { id, account, command, by, at, domains, more } = run;
  const sections = domains.map(
    ({ domain, lines }) =>
      html`<section>
        <h2>${domain}</h2>
        ${renderDiff(lines, null)}
      </section> `,
  );
  return html`<section class="card">
      <h1>Run ${id}</h1>
      <p>${outcomeBadge(run)} ${countsOfRun(run)}</p>
      <p><b>${account}</b> · <code>${command}</code> by ${by} · ${ago(at, now)}${commitOf(run)}</p>
      <p class="resolve">
        <span class="arrow" aria-hidden="true">→</span> <span class="unseen">To reverse it: </span
        ><code>${commandOf(`undo ${id}`)}</code> shows the plan that reverses it, and asks
      </p>
    </section>
    ${sections}
    ${more === 0 ? null : html`<p class="dim">… and ${more} more: <code>${commandOf(`history ${id}`)}</code> lists them</p>`}
    <p><a href="${basePath}/">← Overview</a></p>`;
}

export function renderMissingRun(basePath: string): Html {
  return html`<section class="card narrow" aria-labelledby="missing-title">
    <h1 id="missing-title">No such run</h1>
    <p>No run of this name is recorded, or its account has not been read since the daemon started.</p>
    <p><a href="${basePath}/">← Overview</a></p>
  </section>`;
}

const OUTCOMES: Readonly<Record<string, { readonly sign: string; readonly health: string }>> = {
  converged: { sign: '✓', health: 'in-sync' },
  unchanged: { sign: '✓', health: 'in-sync' },
  partial: { sign: '!', health: 'withheld' },
  failed: { sign: '✕', health: 'failing' },
  refused: { sign: '‖', health: 'withheld' },
};

function outcomeBadge({ outcome }: RunRow): Html {
  const { sign, health } = OUTCOMES[outcome ?? ''] ?? { sign: '…', health: 'unknown' };
  return html`<span class="badge ${health}"
    ><span aria-hidden="true">${sign}</span> ${outcome ?? 'not finished'}</span
  >`;
}

function countsOfRun({ counts, failed }: RunRow): Html {
  return html`${pendingCounts(counts)}${failed > 0 ? html`<b>${failed} failed</b>` : null}`;
}

function commitOf({ commit }: RunRow): Html | null {
  return commit === null ? null : html` <code class="place">${commit}</code>`;
}
