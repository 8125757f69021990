import type { Reply } from '../protocol.ts';
import type { Context, Route } from '../routes.ts';

/** A route whose bodies carry `success`, and on failure `error` and `code` too (v3: Resources, Errors). */
export function v3Route(method: string, template: string, handle: (context: Context) => Reply): Route {
  return { version: 'v3', method, template, handle: (context) => flagged(handle(context)) };
}

function flagged(reply: Reply): Reply {
  if (reply.status < 400) return { ...reply, body: { success: true, ...reply.body } };
  const error = reply.body?.['message'] ?? '';
  return { ...reply, body: { ...reply.body, error, code: reply.status, success: false } };
}
