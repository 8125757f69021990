import { findDomain } from '../account/resources/stored-domains.ts';
import type { Generation } from '../account/model.ts';
import type { DomainRecord, State } from '../account/state.ts';
import type { HandlerResult } from './protocol.ts';

/** The parts of a request that handlers see. */
export interface RequestContext {
  readonly version: Generation;
  readonly state: State;
  /** Decoded path segments by the names in the template, such as `domain`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Decoded JSON; undefined without a body. */
  readonly body: unknown;
  /** Scripted tampering that handlers have to take part in. */
  readonly tampering: Tampering;
}

/** The context of a request about an existing domain. */
export interface DomainContext extends RequestContext {
  readonly domain: DomainRecord;
}

export type ApiHandler = (context: RequestContext) => HandlerResult;
export type DomainHandler = (context: DomainContext) => HandlerResult;

export interface Tampering {
  /** Batch items that must fail, by position. */
  readonly failItems: ReadonlyMap<number, FailItem>;
  /** Moves the page of a listing by this many items. */
  readonly shift: number;
  /** Page size to use in place of the requested one. */
  readonly limit: number | undefined;
}

export interface FailItem {
  readonly index: number;
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
  /** True if the item is applied although it is reported as failed. */
  readonly applied?: boolean | undefined;
}

export interface ApiRoute {
  readonly version: Generation;
  readonly method: string;
  /** The route template, written as in the API document, such as `/domains/:domain/aliases/:id`. */
  readonly template: string;
  readonly handle: ApiHandler;
}

/** Handlers by method and path, such as `GET /account`. Paths under `domain` are relative to `/domains/:domain`. */
export interface RouteTable {
  readonly account?: Readonly<Record<string, ApiHandler>>;
  readonly domain?: Readonly<Record<string, DomainHandler>>;
}

export function routesOf(
  version: Generation,
  { account = {}, domain = {} }: RouteTable,
): readonly ApiRoute[] {
  return [
    ...Object.entries(account).map(([name, handle]) => routeOf(version, name, '', handle)),
    ...Object.entries(domain).map(([name, handle]) =>
      routeOf(version, name, '/domains/:domain', inDomain(handle)),
    ),
  ];
}

function routeOf(version: Generation, name: string, above: string, handle: ApiHandler): ApiRoute {
  const [method = '', path = ''] = name.split(' ');
  return { version, method, template: above + path, handle };
}

function inDomain(handle: DomainHandler): ApiHandler {
  return (context) => {
    const domain = findDomain(context.state, context.params['domain'] ?? '');
    return domain.ok ? handle({ ...context, domain: domain.value }) : domain;
  };
}

export interface RouteMatch {
  readonly route: ApiRoute;
  readonly params: Readonly<Record<string, string>>;
}

export interface ApiRouter {
  /**
   * Finds the route for percent-encoded segments. Returns undefined if no route matches, or if a segment cannot be decoded.
   */
  find(version: Generation, method: string, segments: readonly string[]): RouteMatch | undefined;
}

/** Creates a router. Literal segments take precedence over parameters, so `aliases/batch` is never an alias. */
export function createApiRouter(routes: readonly ApiRoute[]): ApiRouter {
  const byShape = new Map<string, { route: ApiRoute; parts: string[] }[]>();
  for (const route of routes) {
    const parts = route.template.split('/').slice(1);
    const key = shapeKey(route.version, route.method, parts.length);
    const known = byShape.get(key) ?? [];
    known.push({ route, parts });
    byShape.set(key, known);
  }
  for (const known of byShape.values()) {
    known.sort((a, b) => countParameters(a.parts) - countParameters(b.parts));
  }
  return {
    find(version, method, segments) {
      for (const { route, parts } of byShape.get(shapeKey(version, method, segments.length)) ?? []) {
        const params = matchParts(parts, segments);
        if (params !== undefined) return { route, params };
      }
      return undefined;
    },
  };
}

function shapeKey(version: Generation, method: string, length: number): string {
  return `${version} ${method} ${length}`;
}

function countParameters(parts: readonly string[]): number {
  return parts.filter((part) => part.startsWith(':')).length;
}

function matchParts(
  parts: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = decodeSegment(segments[index] ?? '');
    if (segment === undefined || segment === '') return undefined;
    if (part.startsWith(':')) {
      params[part.slice(1)] = segment;
    } else if (part !== segment) {
      return undefined;
    }
  }
  return params;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
