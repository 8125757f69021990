import { hasErrors, note, optionalString, readBody } from '../http/input.ts';
import { invalidFields, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext } from '../http/routes.ts';

const BEHAVIORS = ['add', 'update', 'delete'] as const;

/** What a bulk request does with its items. */
export type Behavior = (typeof BEHAVIORS)[number];

/** The `behavior` of a bulk request of `field`; `add` when it is left out (v3: Aliases, Rules). */
export function readBehavior(
  context: RequestContext,
  field: 'aliases' | 'rules',
): { readonly ok: true; readonly value: Behavior } | { readonly ok: false; readonly reply: HandlerReply } {
  const body = readBody(context, [field, 'behavior']);
  if (!body.ok) return body;
  const text = optionalString(body.value, 'behavior') ?? 'add';
  const value = BEHAVIORS.find((known) => known === text);
  if (value === undefined) note(body.value, 'behavior', `must be one of ${BEHAVIORS.join(', ')}`);
  return value === undefined || hasErrors(body.value)
    ? { ok: false, reply: invalidFields(body.value.errors) }
    : { ok: true, value };
}
