import type { Reply } from './protocol.ts';
import type { Context, Route } from './routes.ts';

/** Reads; with the switch `unreadableParameters`, as if parameters that do not read were not there. */
export function handleLeniently(route: Route, context: Context): Reply {
  const reply = route.handle(context);
  if (context.state.switches.unreadableParameters === 'refuse' || reply.status !== 400) return reply;
  const unreadable = Object.keys(reply.body?.['errors'] ?? {}).filter((name) => context.query.has(name));
  if (route.method !== 'GET' || unreadable.length === 0) return reply;
  const query = new URLSearchParams(context.query);
  for (const name of unreadable) query.delete(name);
  // Handlers report some problems only when others are gone.
  return handleLeniently(route, { ...context, query });
}
