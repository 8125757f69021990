/**
 * A field that is missing or of another type than the specification states. The code that judges the answer catches
 * it.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** An answer that can be decoded but cannot be true. */
export class ContradictionError extends DecodeError {}

export type Json = Readonly<Record<string, unknown>>;

/** True for an object of JSON that is not a list. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown, where: string): Json {
  if (isObject(value)) return value;
  throw new DecodeError(`${where} is not an object`);
}

export function objectField(json: Json, name: string): Json {
  return objectOf(json[name], `field ${name}`);
}

export function arrayField(json: Json, name: string): readonly unknown[] {
  const value = json[name];
  if (Array.isArray(value)) return value;
  throw new DecodeError(`field ${name} is missing or not an array`);
}

export function stringField(json: Json, name: string): string {
  const value = json[name];
  if (typeof value === 'string') return value;
  throw new DecodeError(`field ${name} is missing or not a string`);
}

/** Reads the id of an item. v3 has integers where v4 has strings. */
export function idField(json: Json): string {
  const value = json['id'];
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new DecodeError('field id is missing or not an id');
}

/** Reads a finite number. Decimals may also be texts, as some services write them. */
export function numberField(json: Json, name: string): number {
  const value = json[name];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new DecodeError(`field ${name} is missing or not a number`);
}

export function countField(json: Json, name: string): number {
  const value = json[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new DecodeError(`field ${name} is missing or not a count`);
}

/** Rejects an answer about another item than the requested one. */
export function expectSame(field: string, sent: string, answered: string): void {
  if (sent === answered) return;
  throw new ContradictionError(`${field} ${JSON.stringify(answered)} came for ${JSON.stringify(sent)}`);
}

export function booleanField(json: Json, name: string): boolean {
  const value = json[name];
  if (typeof value === 'boolean') return value;
  throw new DecodeError(`field ${name} is missing or not a boolean`);
}

/** Reads a string; a missing field counts as null. */
export function nullableString(json: Json, name: string): string | null {
  const value = json[name] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw new DecodeError(`field ${name} is not a string`);
}

/** Reads a limit. 0 or null means unknown or unlimited, never "no room". */
export function limitField(json: Json, name: string): number | null {
  const value = json[name];
  return typeof value === 'number' && value > 0 ? value : null;
}

/**
 * Returns the epoch milliseconds of an ISO 8601 text, or of a number of seconds or milliseconds, told apart by
 * magnitude; null if there is no time.
 */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'string') {
    const parsed = Date.parse(value);
    return Number.isNaN(parsed) ? null : parsed;
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return null;
  return value < 100_000_000_000 ? value * 1000 : value;
}
