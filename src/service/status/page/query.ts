import { FLEET_STATES, type FleetState } from '../../../core/model/status/fleet.ts';

/** Parsed query of the page's address. */
export interface OverviewQuery {
  /** Part of the name of a domain or an account. */
  readonly q: string;
  /** State to show; null means all. */
  readonly state: FleetState | null;
  /** Page number, from 1. */
  readonly page: number;
  /** Address to trace to its destinations; empty if not asked. */
  readonly route: string;
  /** Destination to trace back to its senders; empty if not asked. */
  readonly to: string;
  /** `wall` is the large view for a distant screen. */
  readonly view: 'whole' | 'wall';
}

const MOST_LETTERS = 320;

/** Parses a query. Invalid parameters are ignored. */
export function parseQuery(query: unknown): OverviewQuery {
  const text = (name: string): string => {
    const value = (query as Readonly<Record<string, unknown>> | undefined)?.[name];
    return typeof value === 'string' ? value.trim().slice(0, MOST_LETTERS) : '';
  };
  const page = /^[1-9]\d{0,5}$/.test(text('page')) ? Number(text('page')) : 1;
  const state = FLEET_STATES.find((health) => health === text('state')) ?? null;
  const view = text('view') === 'wall' ? 'wall' : 'whole';
  return { q: text('q'), state, page, route: text('route'), to: text('to'), view };
}

/** True if the query asks for a part of the list. */
export function isNarrowed({ q, state, page }: OverviewQuery): boolean {
  return q !== '' || state !== null || page !== 1;
}

/** Returns the query as an address below the page's own. `more` replaces parts of it. */
export function queryHref(basePath: string, query: OverviewQuery, more: Partial<OverviewQuery> = {}): string {
  const { q, state, page, route, to, view } = { ...query, ...more };
  const parameters = new URLSearchParams();
  if (q !== '') parameters.set('q', q);
  if (state !== null) parameters.set('state', state);
  if (page !== 1) parameters.set('page', String(page));
  if (route !== '') parameters.set('route', route);
  if (to !== '') parameters.set('to', to);
  if (view === 'wall') parameters.set('view', view);
  return parameters.size === 0 ? `${basePath}/` : `${basePath}/?${parameters.toString()}`;
}

/** Returns the address of a domain's page, for one part of its forwards. */
export function domainHref(
  basePath: string,
  domain: string,
  { q = '', page = 1 }: Partial<Pick<OverviewQuery, 'q' | 'page'>> = {},
): string {
  const parameters = new URLSearchParams();
  if (q !== '') parameters.set('q', q);
  if (page !== 1) parameters.set('page', String(page));
  const asked = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `${basePath}/domains/${encodeURIComponent(domain.toWellFormed())}${asked}`;
}
