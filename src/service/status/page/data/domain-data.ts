import type { Desired, DesiredDomain } from '../../../../core/model/desired.ts';
import type { DomainName } from '../../../../core/model/names.ts';
import type { LiveEngine } from '../../../../core/model/observed.ts';
import type { AccountStatus, DomainStatus } from '../../../../core/model/status/daemon.ts';
import { pageOf, type ListedRow, type Pages } from '../listed-page.ts';
import type { OverviewQuery } from '../query.ts';
import { deliveryData, type DeliveryData } from './delivery-data.ts';
import { forwardMatcher, forwardRows, type ForwardRow } from './forwards-data.ts';
import { domainRows, shownState, type OverviewOptions } from './overview-data.ts';

/** Data of a domain's page; plain data, not concealed yet. */
export interface DomainData {
  readonly account: string;
  /** The state, its reason, and the pending plan. */
  readonly row: ListedRow;
  readonly engine: LiveEngine;
  readonly delivery: DeliveryData;
  readonly forwards: ForwardsData;
}

export interface ForwardsData {
  /** One page of the rows that match the filter. */
  readonly rows: readonly ForwardRow[];
  readonly pages: Pages;
  /** Number of rows without a filter. */
  readonly total: number;
  /** Number of live entries that the manifest does not name and the process does not keep. */
  readonly more: number;
  /** Number of pending changes that the process does not keep. Rows may be older than the last read. */
  readonly unkept: number;
}

const ROWS_A_PAGE = 200;

/** The parts of an account's status that its domains' pages show. */
export type ShownAccount = Pick<AccountStatus, 'name' | 'mode' | 'domains' | 'delivery'>;

/** Returns the data of a domain; null if no account manages it. */
export function domainData(
  name: string,
  statuses: readonly ShownAccount[],
  manifests: readonly Desired[],
  options: OverviewOptions,
): DomainData | null {
  const account = statuses.find(({ domains }) => domains.has(name));
  const status = account?.domains.get(name);
  if (account === undefined || status === undefined) return null;
  const key = name as DomainName;
  const desired = manifests.find(({ domains }) => domains.has(key))?.domains.get(key);
  const found = { name, state: shownState(status), account, status };
  const [row] = domainRows([found], { ...options, isMany: statuses.length > 1 });
  if (row === undefined) return null;
  return {
    account: account.name,
    row,
    engine: status.engine,
    delivery: deliveryData([account], (own) => own === name, options.command),
    forwards: forwardsData(name, { desired, status }, options),
  };
}

interface Known {
  readonly desired: DesiredDomain | undefined;
  readonly status: DomainStatus;
}

function forwardsData(
  name: string,
  { desired, status }: Known,
  {
    query,
    disclosure,
  }: { readonly query: OverviewQuery; readonly disclosure: OverviewOptions['disclosure'] },
): ForwardsData {
  const all = desired?.state === 'present' ? forwardRows(desired, status, disclosure) : [];
  const matching = query.q === '' ? all : all.filter(forwardMatcher(query.q, name));
  const { pages, shown } = pageOf(matching, query.page, ROWS_A_PAGE);
  const pending = Object.values(status.pending).reduce((sum, count) => sum + count, 0);
  return {
    rows: shown,
    pages,
    total: all.length,
    more: status.unnamed?.more ?? 0,
    unkept: pending - status.changes.length,
  };
}
