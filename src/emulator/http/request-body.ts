import type { EmulatorRequest } from './protocol.ts';

/** Far more than any documented body has. A value with deeper nesting could not be serialized again for the journal. */
const MAX_DEPTH = 100;

/** A body for handlers and the journal. A body that was not read has no text. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'malformed' | 'too-deep'; readonly text: string }
  | { readonly kind: 'too-large' | 'unreadable' };

export function readJson(body: EmulatorRequest['body']): Body {
  if (body === undefined || body === '') return { kind: 'json', value: undefined };
  if (typeof body !== 'string') return body;
  try {
    const value: unknown = JSON.parse(body);
    return isDeep(value) ? { kind: 'too-deep', text: body } : { kind: 'json', value };
  } catch {
    return { kind: 'malformed', text: body };
  }
}

/** Returns the value that the journal keeps. */
export function bodyValue(body: Body): unknown {
  switch (body.kind) {
    case 'json':
      return body.value;
    case 'malformed':
    case 'too-deep':
      return body.text;
    case 'too-large':
    case 'unreadable':
      return undefined;
  }
}

/** True if a value is nested too deeply. It is checked level by level, because recursion would itself need a deep stack. */
function isDeep(value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    level = level.flatMap((item): unknown[] => Object.values(item)).filter(isObject);
    if (level.length === 0) return false;
  }
  return true;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
