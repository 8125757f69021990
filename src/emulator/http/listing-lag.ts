import type { HandlerReply } from './protocol.ts';
import type { RequestContext, ApiRoute } from './routes.ts';

const LISTINGS = /\/(?:domains|aliases|rules|credentials)$/;

/** Answers a listing as it was `listingLag` requests for the same page ago, or as at the first of them. */
export function withLag(route: ApiRoute, context: RequestContext, answer: () => HandlerReply): HandlerReply {
  const { pastListings, switches } = context.state;
  if (switches.listingLag === 0 || route.method !== 'GET' || !LISTINGS.test(route.template)) return answer();
  const page = [context.version, route.template, ...Object.values(context.params), context.query].join(' ');
  // As text, for records change in place.
  const past = [...(pastListings.get(page) ?? []), JSON.stringify(answer())].slice(-1 - switches.listingLag);
  pastListings.set(page, past);
  return JSON.parse(past[0] ?? '') as HandlerReply;
}
