import type { Reply } from '../protocol.ts';
import type { Context, Route } from '../routes.ts';

/** A route whose successful bodies carry `success` beside the payload (v3: Resources). */
export function v3Route(method: string, template: string, handle: (context: Context) => Reply): Route {
  return {
    version: 'v3',
    method,
    template,
    handle(context) {
      const reply = handle(context);
      return reply.status < 400 ? { ...reply, body: { success: true, ...reply.body } } : reply;
    },
  };
}
