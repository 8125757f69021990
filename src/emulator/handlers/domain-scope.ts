import { storeFailure, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';
import { findDomain } from '../account/store-domains.ts';

/** A handler of something within a domain; an unknown domain is answered here. */
export function inDomain(
  handle: (context: RequestContext, domain: DomainRecord) => HandlerReply,
): (context: RequestContext) => HandlerReply {
  return (context) => {
    const domain = findDomain(context.state, context.params['domain'] ?? '');
    return domain.ok ? handle(context, domain.value) : storeFailure(context.state, domain.error);
  };
}
