import { plural } from '../../../../core/model/names.ts';
import type { OverviewData } from '../data/overview-data.ts';
import type { RunRow } from '../data/runs-data.ts';
import { accountSection } from './accounts.ts';
import { renderDeliveries } from './deliveries.ts';
import { html, type Html } from './html.ts';
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
import { isNarrowed } from '../query.ts';
import { renderRouteBox, type RouteAnswer } from './route-box.ts';
import { renderRuns } from './runs.ts';
import { renderWall, wallTroubles } from './pages/wall.ts';
import { renderWhoBox, type WhoBoxAnswer } from './who-box.ts';

export interface Overview {
  readonly data: OverviewData;
  readonly runs: readonly RunRow[];
  /** Answer to the route question; null if not asked. */
  readonly answer: RouteAnswer | null;
  /** Answer to the question which mail ends at a destination; null if not asked. */
  readonly senders: WhoBoxAnswer | null;
}

/** Renders the overview: the verdict first, then mail, accounts and domains that need attention, then the rest. */
export function renderOverview({ data, runs, answer, senders }: Overview, context: OverviewContext): Html {
  const accounts = accountSection(data, context);
  const deliveries = renderDeliveries(data.delivery, context);
  const isFailing = failingCount(data) > 0;
  const isUnready = data.accounts.some(({ isReady }) => !isReady);
  const verdict = { text: verdictOf(data), mood: moodOf(data) };
  if (context.query.view === 'wall') return renderWall(verdict, data, wallTroubles(data, context), context);
  const { urgent, rest } = splitUrgent(data, context.query);
  const list = renderListing(rest, 'No manifest is loaded yet: the accounts say why.', context);
  const boxes = html`${renderRouteBox(answer, context)} ${renderWhoBox(senders, context)}`;
  return html`
    ${renderVerdict(verdict, data, context)} ${isFailing ? deliveries : null} ${isUnready ? accounts : null}
    ${renderAttention('domain', urgent, context)} ${isNarrowed(context.query) ? [list, boxes] : [boxes, list]}
    ${isFailing ? null : deliveries} ${isUnready ? null : accounts} ${renderRuns(runs, context)}
    ${renderWallLink(context)}
  `;
}

/** Returns the whole page in one line, the most severe first. */
export function verdictOf(data: OverviewData): string {
  if (data.accountTotals.all === 0) return 'No account is loaded yet';
  const text = faultsIn(data).join('; ');
  return text === '' ? calmVerdict(data) : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function faultsIn(data: OverviewData): readonly string[] {
  const { all, notReady } = data.accountTotals;
  const failing = failingCount(data);
  const accounts =
    all === 1
      ? 'the account is not ready'
      : `${notReady} of ${all} accounts ${notReady === 1 ? 'is' : 'are'} not ready`;
  const domains = attentionText(data);
  return [
    ...(failing > 0 ? [`delivery is failing for ${plural(failing, 'destination')}`] : []),
    ...(notReady > 0 ? [accounts] : []),
    ...(domains === null ? [] : [domains]),
  ];
}

function failingCount({ delivery }: OverviewData): number {
  return delivery.troubles.length + delivery.more;
}

/** Returns the verdict if nothing is wrong. */
function calmVerdict({ counts, total, delivery }: OverviewData): string {
  if (total === 0) return 'No domain is managed';
  if (counts.unknown > 0) return `${counts.unknown} of ${plural(total, 'domain')} not checked yet`;
  const text = total === 1 ? 'The domain is in sync' : `All ${total} domains are in sync`;
  return delivery.isRead ? text : `${text}; the email logs are not read yet`;
}

function moodOf(data: OverviewData): PageVerdict['mood'] {
  const { counts, total, accountTotals, delivery } = data;
  if (accountTotals.all === 0 || faultsIn(data).length > 0) return 'unwell';
  return total > 0 && counts['in-sync'] === total && delivery.isRead ? 'well' : 'open';
}
