import { FLEET_STATES, type FleetState } from '../../../core/model/status/fleet.ts';

/** What the address of the page asks for. */
export interface OverviewQuery {
  /** A part of the name of a domain or an account. */
  readonly q: string;
  /** Null: all. */
  readonly state: FleetState | null;
  /** From 1. */
  readonly page: number;
  /** Where does mail to it go? Empty: nobody asks. */
  readonly route: string;
  /** Which mail ends at it? Empty: nobody asks. */
  readonly to: string;
  /** `wall`: large, for a screen that is read from afar. */
  readonly view: 'whole' | 'wall';
}

const MOST_LETTERS = 320;

/** Whatever does not read as asked for counts as not there. */
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

/** True if a part of the list is asked for. */
export function isNarrowed({ q, state, page }: OverviewQuery): boolean {
  return q !== '' || state !== null || page !== 1;
}

/** The same as an address below the page's own; `more` replaces parts of it. */
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

/** Returns the address of the page of a domain: one part of its forwards. */
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
