import { plural } from '../../../model/names.ts';
import type { OverviewData } from '../data/overview-data.ts';
import type { RunRow } from '../data/runs-data.ts';
import { accountSection } from './accounts.ts';
import { renderDeliveries } from './deliveries.ts';
import { html, type Html } from './html.ts';
import { renderListing, renderVerdict, type OverviewContext } from './listing.ts';
import { renderRouteBox, type RouteAnswer } from './route-box.ts';
import { renderRuns } from './runs.ts';

export interface Overview {
  readonly data: OverviewData;
  readonly runs: readonly RunRow[];
  /** Null: nobody asks. */
  readonly answer: RouteAnswer | null;
}

/** How everything is: the verdict first, then what needs somebody, accounts that cannot be relied on before domains. */
export function renderOverview({ data, runs, answer }: Overview, context: OverviewContext): Html {
  const accounts = accountSection(data, context);
  const isUnready = data.accountTotals.notReady > 0;
  const verdict = { text: verdictOf(data), isWell: isWell(data) };
  return html`
    ${renderVerdict(verdict, data, context)} ${renderRouteBox(answer, context)} ${isUnready ? accounts : null}
    ${renderListing(data, 'No manifest is loaded yet: the accounts below say why.', context)}
    ${renderDeliveries(data.delivery, context)} ${isUnready ? null : accounts} ${renderRuns(runs, context)}
  `;
}

/** The whole page in one line. */
export function verdictOf(data: OverviewData): string {
  const { counts, total, accountTotals, delivery } = data;
  const { all, notReady } = accountTotals;
  if (all === 0) return 'No account is loaded yet';
  const bad = counts.failing + counts.withheld + counts.frozen + counts.drifted;
  const failing = delivery.troubles.length + delivery.more;
  const accounts =
    all === 1
      ? 'The account is not ready'
      : `${notReady} of ${all} accounts ${notReady === 1 ? 'is' : 'are'} not ready`;
  const needy = `${bad} of ${plural(total, 'domain')} ${bad === 1 ? 'needs' : 'need'} attention`;
  const parts = [
    ...(notReady > 0 ? [accounts] : []),
    ...(bad > 0 ? [needy] : []),
    ...(failing > 0 ? [`mail fails at ${plural(failing, 'place')}`] : []),
  ];
  if (parts.length === 0) return calmVerdict(data);
  const text = parts.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Where nothing is wrong. */
function calmVerdict({ counts, total }: OverviewData): string {
  if (counts.unknown > 0) return `${counts.unknown} of ${plural(total, 'domain')} not checked yet`;
  return total === 1 ? 'The domain is in sync' : `All ${total} domains are in sync`;
}

function isWell({ counts, total, accountTotals, delivery }: OverviewData): boolean {
  const { all, notReady } = accountTotals;
  return notReady === 0 && all > 0 && counts['in-sync'] === total && delivery.troubles.length === 0;
}
