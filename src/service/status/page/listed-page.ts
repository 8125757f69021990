import { domainToUnicode } from 'node:url';
import { FLEET_STATES, noStates, type FleetState } from '../../../core/model/status/fleet.ts';
import type { DomainStatus } from '../../../core/model/status/daemon.ts';
import type { DiffLine } from './data/diff-line.ts';
import type { OverviewQuery } from './query.ts';

/** Data of a page by state: the domains of a daemon, or the accounts of a fleet. Plain data, not concealed yet. */
export interface ListedPage {
  readonly noun: 'domain' | 'account';
  readonly counts: Readonly<Record<FleetState, number>>;
  readonly total: number;
  /** One page of the rows that match the filter. */
  readonly rows: readonly ListedRow[];
  readonly pages: Pages;
}

/** Position in a list of pages. */
export interface Pages {
  readonly page: number;
  readonly last: number;
  readonly matching: number;
}

export interface ListedRow {
  readonly name: string;
  readonly detail: string | null;
  readonly state: FleetState;
  readonly reason: string | null;
  /** Advice for the reader. */
  readonly resolve: string | null;
  readonly place: string | null;
  readonly readAt: number | null;
  /** null means that nothing is pending, or that it is not known. */
  readonly plan: PendingPlan | null;
}

interface PendingPlan {
  readonly pending: DomainStatus['pending'];
  readonly lines: readonly DiffLine[];
  /** Number of changes that are not listed. */
  readonly more: number;
}

const ROWS_A_PAGE = 25;

interface Item {
  readonly name: string;
  readonly state: FleetState;
}

/**
 * Counts all items and returns one page of those that match. The item with the queried name comes first, then the
 * worst.
 */
export function listItems<Listed extends Item>(
  items: readonly Listed[],
  { q, state: wanted, page: asked }: OverviewQuery,
  matches: (item: Listed) => boolean,
): Pick<ListedPage, 'counts' | 'total' | 'pages'> & { readonly shown: readonly Listed[] } {
  const counts = noStates();
  const byState = new Map<FleetState, Listed[]>(FLEET_STATES.map((state) => [state, []]));
  for (const item of items) {
    counts[item.state] += 1;
    if ((wanted === null || item.state === wanted) && matches(item)) byState.get(item.state)?.push(item);
  }
  const sorted = [...byState.values()].flatMap((some) => some.sort((a, b) => compareNames(a.name, b.name)));
  const part = folded(q);
  const named = sorted.findIndex(({ name }) => spellings(name).includes(part));
  const first = named < 1 ? [] : sorted.splice(named, 1);
  const matching = [...first, ...sorted];
  return { counts, total: items.length, ...pageOf(matching, asked, ROWS_A_PAGE) };
}

/** Returns one page of a list. Returns the last page if the list has fewer. */
export function pageOf<One>(
  all: readonly One[],
  asked: number,
  size: number,
): { readonly pages: Pages; readonly shown: readonly One[] } {
  const last = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(asked, last);
  return {
    pages: { page, last, matching: all.length },
    shown: all.slice((page - 1) * size, page * size),
  };
}

/** Returns a test for names. Without a filter every name matches. */
export function matcher(q: string): (name: string) => boolean {
  const part = folded(q);
  return (name) => part === '' || spellings(name).some((spelling) => spelling.includes(part));
}

export function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Returns the name of a domain or an account as it is, and with its domain in readable letters. */
function spellings(name: string): readonly string[] {
  const ascii = name.toLowerCase();
  if (!ascii.includes('xn--')) return [ascii];
  return [ascii, ascii.replace(/[^@]+$/, domainToUnicode)];
}

export function compareNames(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
