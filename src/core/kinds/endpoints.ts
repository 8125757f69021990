import {
  endpointText,
  READ_ENDPOINTS,
  type ApiVersion,
  type Endpoint,
  type Endpoints,
} from '../model/endpoints.ts';
import { ALL_KINDS, KINDS } from './registry.ts';

/**
 * The closed list of everything that fwdsync can send, as each generation's document writes it. An operation that a
 * generation lacks is not in its list.
 */
export const ENDPOINTS: Endpoints = { v4: endpointsOf('v4'), v3: endpointsOf('v3') };

function endpointsOf(version: ApiVersion): Endpoints[ApiVersion] {
  const ofKinds = ALL_KINDS.map((kind) => KINDS[kind].wire.endpoints[version]);
  return Object.assign({}, READ_ENDPOINTS[version], ...ofKinds) as Endpoints[ApiVersion];
}

/** Returns the endpoint of an operation; throws if the generation does not have it. */
export function endpointOf(version: ApiVersion, operation: string): Endpoint {
  const endpoint = ENDPOINTS[version][operation];
  if (endpoint === undefined) throw new Error(`${version} of the API has no operation ${operation}`);
  return endpoint;
}

/** Returns an endpoint's name in plans, reports and metrics, such as `PUT /domains/:domain/aliases/:id`. */
export function endpointName(version: ApiVersion, operation: string): string {
  return endpointText(endpointOf(version, operation));
}

/** True if a listing does not state its number of items, so that it is read until a page is short. */
export function isUntotalled(version: ApiVersion, operation: string): boolean {
  return ALL_KINDS.some((kind) => {
    const { list } = KINDS[kind].wire;
    return list.operation === operation && list.untotalled?.includes(version);
  });
}
