import type { ApiVersion, Endpoint, Operation } from '../../model/endpoints.ts';
import type { DomainState } from '../../model/resources.ts';

/** What the two generations of the API do differently, as far as the reconciler's operations go. */
export interface Dialect {
  readonly version: ApiVersion;
  readonly endpoints: Readonly<Record<Operation, Endpoint>>;
  readonly pageSize: Readonly<Record<'domains' | 'aliases' | 'rules' | 'credentials', number>>;
  /** The orders to ask for, where there is a choice. */
  readonly orders: Readonly<Record<'domains' | 'aliases' | 'rules', Readonly<Record<string, string>>>>;
  /** The parameter that filters the list of domains by a part of the name. */
  readonly domainFilter: 'query' | 'q';
  /** The name of an alias's segment in the templates. */
  readonly aliasSegment: 'id' | 'alias';
  /** Whether a listing of credentials states its total. */
  readonly credentialTotals: 'stated' | 'absent';
  /** The settings that adding and updating a domain take. */
  readonly domainSettings: Readonly<Record<'add' | 'update', readonly (keyof DomainState)[]>>;
}
