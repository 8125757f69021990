import {
  isBehind,
  knownWorkers,
  revisionText,
  runners,
  type Fleet,
  type FleetAccount,
  type FleetState,
  type FleetWorker,
  type QueueState,
} from '../../../../core/model/status/fleet.ts';
import { listItems, matcher, type ListedRow, type ListedPage } from '../listed-page.ts';
import type { OverviewQuery } from '../query.ts';

/** Data of a worker's page: the accounts of the whole fleet, and its workers. */
export interface FleetData extends ListedPage {
  readonly noun: 'account';
  /** Number of accounts whose published revision is not applied yet. */
  readonly behind: number;
  /** Workers that are running, or were lost within the last hour. */
  readonly workers: readonly FleetWorker[];
  readonly queue: QueueState;
  readonly at: number;
}

export function fleetData(fleet: Fleet, query: OverviewQuery): FleetData {
  const matches = matcher(query.q);
  const items = fleet.accounts.map((account) => ({ name: account.email, state: account.state, account }));
  const { shown, ...listed } = listItems(items, query, ({ name }) => matches(name));
  const runner = runners(fleet);
  return {
    noun: 'account',
    ...listed,
    rows: shown.map(({ account }) => fleetRow(account, runner(account))),
    behind: fleet.accounts.filter(isBehind).length,
    workers: knownWorkers(fleet),
    queue: fleet.queue,
    at: fleet.at,
  };
}

function fleetRow(account: FleetAccount, runner: string | null): ListedRow {
  const { email, state, drift, error, readAt, parked } = account;
  const details = [
    `revision ${revisionText(account)}`,
    ...(drift === 0 ? [] : [`${drift} drifted`]),
    ...(runner === null ? [] : [`running on ${runner}`]),
  ];
  return {
    name: email,
    detail: details.join(' · '),
    state,
    reason: error,
    resolve: parked ? PARKED : (RESOLVE[state] ?? null),
    place: null,
    readAt,
    plan: null,
  };
}

const PARKED = 'replace the key, or publish a revision that names another one: nothing is sent until then';

const RESOLVE: Readonly<Partial<Record<FleetState, string>>> = {
  unattended: 'see that workers run and are not overloaded',
  drifted: 'the next run applies it, unless workers only report',
};
