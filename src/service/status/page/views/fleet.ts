import { haveScheduler, queueText, type FleetWorker } from '../../../../core/model/status/fleet.ts';
import { plural } from '../../../../core/model/names.ts';
import type { FleetData } from '../data/fleet-data.ts';
import { html, type Html } from './html.ts';
import { ago } from './layout.ts';
import {
  attentionText,
  renderAttention,
  renderListing,
  renderVerdict,
  renderWallLink,
  splitUrgent,
  type OverviewContext,
  type PageVerdict,
} from './listing-view.ts';
import { renderWall } from './pages/wall.ts';
import { renderTable } from './table.ts';

/** Renders the whole fleet: the verdict first, then its accounts, its workers and its queue. */
export function renderFleet(data: FleetData, context: OverviewContext): Html {
  const verdict = { text: fleetVerdict(data), mood: moodOf(data) };
  if (context.query.view === 'wall') return renderWall(verdict, data, [], context);
  const { urgent, rest } = splitUrgent(data, context.query);
  return html`
    ${renderVerdict(verdict, data, context)} ${renderAttention('account', urgent, context)}
    ${renderListing(rest, 'No manifest is published yet; `fwdsync publish --help` says how to publish one.', context)}
    ${renderWorkers(data)} ${renderWallLink(context)}
  `;
}

function moodOf(data: FleetData): PageVerdict['mood'] {
  if (data.total === 0 || findFaults(data).length > 0) return 'unwell';
  return data.counts['in-sync'] === data.total ? 'well' : 'open';
}

/** Renders the page of a store that cannot be read. Nothing is known about the fleet then. */
export function renderUnreachable(): Html {
  return html`<section id="verdict" data-part>
    <h1 class="verdict unwell"><span aria-hidden="true">!</span> ${UNREACHABLE}</h1>
    <p>
      Nothing is changed in any account until it is back. Check the database; the log of this worker says what
      it answers.
    </p>
  </section>`;
}

export const UNREACHABLE = 'The store cannot be read';

/** Returns the whole page in one line. */
export function fleetVerdict(data: FleetData): string {
  const { counts, total } = data;
  if (total === 0) return 'No account is published yet';
  const faults = findFaults(data);
  if (faults.length > 0) return faults.join('; ');
  if (counts.unknown > 0) return `${counts.unknown} of ${plural(total, 'account')} not checked yet`;
  return total === 1 ? 'The account is in sync' : `All ${total} accounts are in sync`;
}

/** Returns faults of the fleet itself, then those of its accounts. */
function findFaults(data: FleetData): readonly string[] {
  const { workers } = data;
  const lost = workers.filter(({ state }) => state === 'lost').length;
  const accounts = attentionText(data);
  return [
    ...(haveScheduler(workers) ? [] : ['No worker is the scheduler']),
    ...(lost === 0 ? [] : [`${plural(lost, 'worker')} lost`]),
    ...(accounts === null ? [] : [accounts]),
  ];
}

function renderWorkers({ workers, queue, behind, at }: FleetData): Html {
  const rows = workers.map((worker) => workerRow(worker, at));
  return html`<section aria-labelledby="workers-title">
    <h2 id="workers-title">Workers</h2>
    <div id="workers" data-part>
      ${workers.length === 0 ? html`<p class="empty">No worker is running.</p>` : renderTable(HEADINGS, rows, 'right')}
      <p class="dim">
        ${queueText(queue)}
        ${behind === 0 ? null : `For ${plural(behind, 'account')} the published revision is not applied yet.`}
      </p>
    </div>
  </section>`;
}

const HEADINGS = ['State', 'Worker', 'Runs', 'Last seen'];

function workerRow(worker: FleetWorker, at: number): Html {
  const { name, version, state, running, concurrency, scheduler, seenAt, startedAt } = worker;
  const badge =
    state === 'lost'
      ? html`<span class="badge failing"><span aria-hidden="true">✕</span> Lost</span>`
      : html`<span class="badge in-sync"><span aria-hidden="true">✓</span> Running</span>`;
  return html`<tr role="row">
    <td role="cell">${badge}</td>
    <td role="cell">
      <b class="name">${name}</b>
      <span class="dim">${version}, started ${ago(startedAt, at)}${scheduler ? ', scheduler' : ''}</span>
    </td>
    <td role="cell" data-label="Runs">${running} of ${concurrency}</td>
    <td role="cell" class="right dim">${ago(seenAt, at)}</td>
  </tr> `;
}
