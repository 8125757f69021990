import {
  isBehind,
  knownWorkers,
  notReceivingText,
  revisionText,
  runners,
  type Fleet,
  type FleetAccount,
  type FleetState,
  type FleetWorker,
  type QueueState,
} from '../../../../core/model/status/fleet.ts';
import type { CommandLine } from '../../../../core/model/text/command-line.ts';
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

export function fleetData(fleet: Fleet, query: OverviewQuery, command: CommandLine): FleetData {
  const matches = matcher(query.q);
  const items = fleet.accounts.map((account) => ({ name: account.email, state: account.state, account }));
  const { shown, ...listed } = listItems(items, query, ({ name }) => matches(name));
  const runner = runners(fleet);
  return {
    noun: 'account',
    ...listed,
    rows: shown.map(({ account }) => fleetRow(account, runner(account), command)),
    behind: fleet.accounts.filter(isBehind).length,
    workers: knownWorkers(fleet),
    queue: fleet.queue,
    at: fleet.at,
  };
}

function fleetRow(account: FleetAccount, runner: string | null, command: CommandLine): ListedRow {
  const { email, state, drift, error, readAt, parked, notReceiving } = account;
  const details = [
    `revision ${revisionText(account)}`,
    ...(drift === 0 ? [] : [`${drift} drifted`]),
    ...(runner === null ? [] : [`running on ${runner}`]),
  ];
  // The error names those that stopped.
  const reasons = [error, notReceivingText('never', notReceiving)].filter((text) => text !== null);
  return {
    name: email,
    detail: details.join(' · '),
    state,
    reason: reasons.length === 0 ? null : reasons.join('; '),
    resolve: parked ? PARKED : adviceOf(account, command),
    place: null,
    readAt,
    plan: null,
  };
}

const PARKED = 'replace the key, or publish a revision that names another one: nothing is sent until then';

function adviceOf({ state, notReceiving }: FleetAccount, command: CommandLine): string | null {
  const [stopped] = notReceiving?.stopped ?? [];
  if (state === 'not-receiving' && stopped !== undefined)
    return `\`${command(`verify ${stopped}`)}\` prints the DNS records to set`;
  return RESOLVE[state] ?? null;
}

const RESOLVE: Readonly<Partial<Record<FleetState, string>>> = {
  unattended: 'check that workers run and are not overloaded',
  drifted: 'the next run applies it, unless workers only report',
};
