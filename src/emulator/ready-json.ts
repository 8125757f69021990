import type { Json, JsonObject } from './protocol.ts';

const READY = Symbol('ready JSON');

/** Stands in a body for a value whose JSON is at hand; only `writeReadyJson` knows what to do with it. */
export function readyJson(text: string): JsonObject {
  return { [READY]: text };
}

/** The JSON of a body that holds ready JSON, which is taken as it is: no long text is copied on the way. */
export function writeReadyJson(value: Json): string {
  if (Array.isArray(value)) return `[${concatenate(value.map(writeReadyJson))}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (READY in value) return String(value[READY]);
  const fields = Object.entries(value);
  return `{${concatenate(fields.map(([name, field]) => `${JSON.stringify(name)}:${writeReadyJson(field)}`))}}`;
}

/** Unlike `join`, it copies nothing. */
function concatenate(texts: readonly string[]): string {
  let whole = '';
  for (const text of texts) whole += whole === '' ? text : `,${text}`;
  return whole;
}
