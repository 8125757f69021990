import type { Json, JsonObject } from './protocol.ts';

const READY = Symbol('ready JSON');

/** Stands in a body for a value whose JSON is at hand; only `writeReadyJson` knows what to do with it. */
export function readyJson(text: string): JsonObject {
  return { [READY]: text };
}

/** The JSON of a body that holds ready JSON, which is written as it is. */
export function writeReadyJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(writeReadyJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (READY in value) return String(value[READY]);
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}:${writeReadyJson(field)}`,
  );
  return `{${fields.join(',')}}`;
}
