import { failure, invalidFields, type HandlerReply } from './protocol.ts';
import { withLag } from './listing-lag.ts';
import type { RequestContext, ApiRoute } from './routes.ts';

/** Handles a request as the switches about query parameters of readings say. */
export function handleByChoices(route: ApiRoute, context: RequestContext): HandlerReply {
  if (route.method !== 'GET') return route.handle(context);
  const { emptyParameters, unreadableParameters, pageAfterEnd } = context.state.switches;
  if (emptyParameters === 'refuse') {
    const empty = [...context.query].filter(([, value]) => value === '');
    const errors = empty.map(([name]): [string, string[]] => [name, [`The ${name} is empty.`]]);
    if (errors.length > 0) return invalidFields(Object.fromEntries(errors));
  }
  const reply = withLag(route, context, () =>
    unreadableParameters === 'ignore' ? handleLeniently(route, context) : route.handle(context),
  );
  return pageAfterEnd === 'refuse' && isAfterEnd(reply) ? failure(404, 'There is no such page.') : reply;
}

/** As if parameters that do not read were not there. */
function handleLeniently(route: ApiRoute, context: RequestContext): HandlerReply {
  const reply = route.handle(context);
  if (reply.status !== 400) return reply;
  const unreadable = Object.keys(reply.body?.['errors'] ?? {}).filter((name) => context.query.has(name));
  if (unreadable.length === 0) return reply;
  const query = new URLSearchParams(context.query);
  for (const name of unreadable) query.delete(name);
  // Handlers report some problems only when others are gone.
  return handleLeniently(route, { ...context, query });
}

/** The first page is there even when it is empty. */
function isAfterEnd({ body }: HandlerReply): boolean {
  const { page, limit, total } = body ?? {};
  if (typeof page !== 'number' || typeof limit !== 'number' || typeof total !== 'number') return false;
  return page > 1 && (page - 1) * limit >= total;
}
