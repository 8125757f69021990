import type { EmulatorRequest } from './protocol.ts';

/** Far more than any documented body has; what nests deeper could not be written out again, as the journal is. */
const MAX_DEPTH = 100;

/** A body as handlers and the journal see it; one that was not read has no text. */
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

/** What the journal keeps. */
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

/** Checks one level after the other: a walk by recursion would itself need a deep stack. */
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
