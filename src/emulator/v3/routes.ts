import type { HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import type { DomainRecord } from '../account/state.ts';

/** A route whose successful bodies carry `success` beside the payload; there are no empty ones (v3: Resources). */
export function v3Route(
  method: string,
  template: string,
  handle: (context: RequestContext) => HandlerReply,
): ApiRoute {
  return {
    version: 'v3',
    method,
    template,
    handle(context) {
      const reply = handle(context);
      if (reply.status >= 400) return reply;
      return { ...reply, status: 200, body: { success: true, ...reply.body } };
    },
  };
}

/** Batches are the same in both versions, string ids and times included (v3: Resources). */
export function batchRoutes(routes: readonly ApiRoute[]): ApiRoute[] {
  return routes
    .filter((route) => route.template.endsWith('/batch'))
    .map((route) => ({ ...route, version: 'v3' }));
}

/** Two samples of the answer to a delete-all are documented: the switch `v3DeleteAllAnswer` (v3: Aliases, Rules). */
export function removeAllReply(
  removeAll: (context: RequestContext, domain: DomainRecord) => HandlerReply,
): (context: RequestContext, domain: DomainRecord) => HandlerReply {
  return (context, domain) => {
    const reply = removeAll(context, domain);
    const isPlain = context.state.switches.v3DeleteAllAnswer === 'success';
    return isPlain && reply.status === 200 ? { status: 200, body: {} } : reply;
  };
}
