import type { ApiVersion, Endpoint } from '../../core/model/endpoints.ts';
import type { DomainName } from '../../core/model/names.ts';
import { createCall } from '../http/call.ts';
import type { Answer } from '../client.ts';
import { createPorts, type ClientOptions } from '../create.ts';
import { countField } from '../../core/fields/json.ts';

/**
 * Deletes every alias, or every rule, of a domain in one request. The reconciler never imports this file, and its endpoints
 * are not in the client's list, because the deletes cannot be undone item by item.
 */
export interface DeleteAll {
  /** Returns the number of deleted items; null if the service does not say. */
  deleteAllAliases(domain: DomainName): Answer<number | null>;
  deleteAllRules(domain: DomainName): Answer<number | null>;
  close(): Promise<void>;
}

export const DELETE_ALL_ENDPOINTS: Readonly<
  Record<ApiVersion, Readonly<Record<'aliases' | 'rules', Endpoint>>>
> = {
  v4: {
    aliases: { method: 'DELETE', template: '/domains/:domain/aliases' },
    rules: { method: 'DELETE', template: '/domains/:domain/rules' },
  },
  v3: {
    aliases: { method: 'DELETE', template: '/domains/:domain/aliases/aliases-all' },
    rules: { method: 'DELETE', template: '/domains/:domain/rules-all' },
  },
};

/** Creates the delete-all requests for aliases and rules (v4, v3), which pass the guard `all=true`. */
export function createDeleteAll(options: ClientOptions): DeleteAll {
  const { version } = options;
  const ports = createPorts(options);
  const call = createCall(ports, { urgency: 'changed' });
  const send = (endpoint: Endpoint, domain: DomainName): Answer<number | null> =>
    call({ endpoint, params: { domain }, query: { all: 'true' } }, (json) =>
      json?.['deleted'] === undefined ? null : countField(json, 'deleted'),
    );
  return {
    deleteAllAliases: (domain) => send(DELETE_ALL_ENDPOINTS[version].aliases, domain),
    deleteAllRules: (domain) => send(DELETE_ALL_ENDPOINTS[version].rules, domain),
    close: () => ports.transport.close(),
  };
}
