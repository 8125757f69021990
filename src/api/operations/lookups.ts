import type { DomainName } from '../../model/names.ts';
import type { ObservedAlias, ObservedRule } from '../../model/observed.ts';
import type { Call } from '../http/call.ts';
import type { Answer } from '../client.ts';
import { objectField } from './decode.ts';
import { decodeAlias, decodeRule } from './decode-resources.ts';
import type { Dialect } from './dialect.ts';

/** Single resources, by id. */
export interface LookupClient {
  getAlias(domain: DomainName, id: string): Answer<ObservedAlias>;
  getRule(domain: DomainName, id: string): Answer<ObservedRule>;
}

export function lookupOperations(call: Call, { endpoints, aliasSegment }: Dialect): LookupClient {
  return {
    getAlias: (domain, id) =>
      call({ endpoint: endpoints.getAlias, params: { domain, [aliasSegment]: id } }, (json) =>
        decodeAlias(objectField(json ?? {}, 'alias')),
      ),
    getRule: (domain, id) =>
      // v3 answers the rule itself, where everything else is wrapped.
      call({ endpoint: endpoints.getRule, params: { domain, rule: id } }, (json) =>
        decodeRule(json?.['rule'] ?? json),
      ),
  };
}
