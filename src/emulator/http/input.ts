import type { FieldMessages, StoreResult } from '../account/model.ts';
import { failure, type HandlerReply } from './protocol.ts';
import type { RequestContext } from './routes.ts';
import type { Switches } from '../account/switches.ts';

/** Reads a JSON object field by field and gathers what is wrong with it. */
export interface FieldReader {
  readonly source: Readonly<Record<string, unknown>>;
  readonly errors: FieldMessages;
}

/** A reader of the request's body, or the answer to a body that is no object. No body counts as an empty object. */
export function readBody(
  context: RequestContext,
  known: readonly string[],
): { readonly ok: true; readonly value: FieldReader } | { readonly ok: false; readonly reply: HandlerReply } {
  const { body = {} } = context;
  const reader = readObject(body, known, context.state.switches);
  if (reader === undefined) {
    return { ok: false, reply: failure(400, 'The request body must be a JSON object.') };
  }
  return { ok: true, value: reader };
}

export function readObject(
  value: unknown,
  known: readonly string[],
  switches: Switches,
): FieldReader | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const source = value as Record<string, unknown>;
  const unknown =
    switches.unknownFields === 'refuse' ? Object.keys(source).filter((field) => !known.includes(field)) : [];
  // Made from entries: a field named `__proto__` must become one of the errors, not their prototype.
  const errors: FieldMessages = Object.fromEntries(
    unknown.map((field) => [field, [`The field "${field}" is not known.`]]),
  );
  return { source, errors };
}

export function hasErrors(reader: FieldReader): boolean {
  return Object.keys(reader.errors).length > 0;
}

export function requiredString(reader: FieldReader, field: string): string {
  const value = fieldOf(reader, field);
  if (typeof value === 'string' && value !== '') return value;
  note(reader, field, value === undefined || value === '' ? 'is required' : 'must be a string');
  return '';
}

export function optionalString(reader: FieldReader, field: string): string | undefined {
  const value = fieldOf(reader, field);
  if (value === undefined || typeof value === 'string') return value;
  note(reader, field, 'must be a string');
  return undefined;
}

export function nullableText(reader: FieldReader, field: string): string | null | undefined {
  return fieldOf(reader, field) === null ? null : optionalString(reader, field);
}

/** A setting of a domain: an empty text, which some clients always send, is not set, as if it were left out. */
export function optionalSetting(reader: FieldReader, field: string): string | null | undefined {
  const value = nullableText(reader, field);
  return value === '' ? undefined : value;
}

export function optionalNumber(reader: FieldReader, field: string): number | undefined {
  const value = fieldOf(reader, field);
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  note(reader, field, 'must be a number');
  return undefined;
}

export function optionalBoolean(reader: FieldReader, field: string): boolean | undefined {
  const value = fieldOf(reader, field);
  if (value === undefined || typeof value === 'boolean') return value;
  note(reader, field, 'must be a boolean');
  return undefined;
}

/** The value of an own field; undefined when it is left out. */
export function fieldOf(reader: FieldReader, field: string): unknown {
  return Object.hasOwn(reader.source, field) ? reader.source[field] : undefined;
}

export function note(reader: FieldReader, field: string, problem: string): void {
  reader.errors[field] = [...(reader.errors[field] ?? []), `The ${field} ${problem}.`];
}

export interface PageRequest {
  readonly limit: number;
  readonly page: number;
  readonly offset: number;
}

/** `limit` and `page` of a listing (v4: Limits); errors for what is no positive integer. */
export function readPageRequest(context: RequestContext, bounds: LimitBounds): StoreResult<PageRequest> {
  const errors: FieldMessages = {};
  const limit = readLimit(context, bounds, errors);
  const page = readInteger(context.query, 'page', 1, errors) ?? 1;
  if (Object.keys(errors).length > 0) return { ok: false, error: { kind: 'invalid', errors } };
  return { ok: true, value: { limit, page, offset: (page - 1) * limit + context.tampering.shift } };
}

export interface LimitBounds {
  readonly limit: number;
  readonly maximum: number;
  readonly minimum?: number;
}

/** The size of a page. */
export function readLimit(context: RequestContext, bounds: LimitBounds, errors: FieldMessages): number {
  const asked = readInteger(context.query, 'limit', bounds.minimum ?? 1, errors) ?? bounds.limit;
  if (asked > bounds.maximum && context.state.switches.limitOverMaximum === 'refuse') {
    errors['limit'] = [`The limit may be at most ${bounds.maximum}.`];
  }
  return context.tampering.limit ?? Math.min(asked, bounds.maximum);
}

/** One of the allowed words; a missing or empty parameter is undefined. */
export function readWord<W extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly W[],
  errors: FieldMessages,
): W | undefined {
  const text = queryText(query, name);
  if (text === undefined) return undefined;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) errors[name] = [`The ${name} must be one of ${words.join(', ')}.`];
  return word;
}

/** A missing or empty parameter is no filter. */
export function queryText(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  return text === null || text === '' ? undefined : text;
}

/** Larger ones are taken as this: no listing is that long. */
const MAX_INTEGER = 1_000_000_000;

export function readInteger(
  query: URLSearchParams,
  name: string,
  minimum: number,
  errors: FieldMessages,
): number | undefined {
  const text = queryText(query, name);
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Math.min(Number(text), MAX_INTEGER) : Number.NaN;
  if (Number.isInteger(value) && value >= minimum) return value;
  errors[name] = [`The ${name} must be an integer of at least ${minimum}.`];
  return undefined;
}
