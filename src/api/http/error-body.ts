import { escapeInvisible } from '../../model/names.ts';
import type { FieldErrors } from '../errors.ts';

export interface ErrorBody {
  readonly message: string;
  readonly errors: FieldErrors;
}

const LONGEST_RAW_TEXT = 200;

/** v4: Errors; the order message, error, first of errors, raw text also reads the bodies of v3. */
export function readErrorBody(text: string, status: number): ErrorBody {
  const raw = escapeInvisible(text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_RAW_TEXT));
  const fallback = raw === '' ? `status ${status}` : raw;
  const body = parseLoose(text);
  return body === null ? { message: fallback, errors: {} } : messageOf(body, fallback);
}

/** The message and field errors of an error body, or of a failed entry of a batch. */
export function messageOf(body: Readonly<Record<string, unknown>>, fallback: string): ErrorBody {
  const errors = decodeFieldErrors(body['errors']);
  const stated = [body['message'], body['error'], Object.values(errors).flat()[0]];
  const message = stated.find((text): text is string => typeof text === 'string' && text.trim() !== '');
  return { message: message === undefined ? fallback : escapeInvisible(message), errors };
}

/** Values are arrays of strings, and strings in some answers of v3. */
function decodeFieldErrors(value: unknown): FieldErrors {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const fields = Object.entries(value).map(([field, messages]): [string, readonly string[]] => {
    const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
    return [
      field,
      list.map((text) => escapeInvisible(typeof text === 'string' ? text : JSON.stringify(text))),
    ];
  });
  return Object.fromEntries(fields);
}

function parseLoose(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
