import { invalidFields } from '../account/checked.ts';
import { failure, refusalReply, type HandlerReply } from './protocol.ts';
import type { RequestContext, ApiRoute } from './route-list.ts';

const LISTINGS = /\/(?:domains|aliases|rules|credentials)$/;

/** Handles a request according to the switches about GET requests. */
export function handleBySwitches(route: ApiRoute, context: RequestContext): HandlerReply {
  if (route.method !== 'GET') return replyOf(route, context);
  const { switches } = context.state;
  const { emptyParameters, unreadableParameters, pageAfterEnd } = switches;
  if (emptyParameters === 'refuse') {
    const empty = [...context.query].filter(([, value]) => value === '');
    const errors = empty.map(([name]): [string, string[]] => [name, [`The ${name} is empty.`]]);
    if (errors.length > 0) return refusalReply(invalidFields(Object.fromEntries(errors)).error, switches);
  }
  const reply = withLag(route, context, () =>
    unreadableParameters === 'ignore' ? handleLeniently(route, context) : replyOf(route, context),
  );
  return pageAfterEnd === 'refuse' && isAfterEnd(reply) ? failure(404, 'There is no such page.') : reply;
}

function replyOf(route: ApiRoute, context: RequestContext): HandlerReply {
  const result = route.handle(context);
  return result.ok ? result.value : refusalReply(result.error, context.state.switches);
}

/** Returns the listing as it was `listingLag` requests for this page ago, or at the first request if there were fewer. */
function withLag(route: ApiRoute, context: RequestContext, answer: () => HandlerReply): HandlerReply {
  const { pastListings, switches } = context.state;
  if (switches.listingLag === 0 || !LISTINGS.test(route.template)) return answer();
  const page = [context.version, route.template, ...Object.values(context.params), context.query].join(' ');
  // Kept as text, because records change in place.
  const past = [...(pastListings.get(page) ?? []), JSON.stringify(answer())].slice(-1 - switches.listingLag);
  pastListings.set(page, past);
  return JSON.parse(past[0] ?? '') as HandlerReply;
}

/** Handles a request as if its unreadable parameters were missing. */
function handleLeniently(route: ApiRoute, context: RequestContext): HandlerReply {
  const reply = replyOf(route, context);
  if (reply.status !== 400) return reply;
  const unreadable = Object.keys(reply.body?.['errors'] ?? {}).filter((name) => context.query.has(name));
  if (unreadable.length === 0) return reply;
  const query = new URLSearchParams(context.query);
  for (const name of unreadable) query.delete(name);
  // Handlers report some problems only after others are gone.
  return handleLeniently(route, { ...context, query });
}

/** True if the page is after the last one. The first page always exists, even if it is empty. */
function isAfterEnd({ body }: HandlerReply): boolean {
  const { page, limit, total } = body ?? {};
  if (typeof page !== 'number' || typeof limit !== 'number' || typeof total !== 'number') return false;
  return page > 1 && (page - 1) * limit >= total;
}
