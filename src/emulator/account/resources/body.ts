import { invalidFields, ok, type Checked } from '../checked.ts';

/** A JSON object from a request. */
export type BodyObject = Readonly<Record<string, unknown>>;

/** Reads a field. undefined means that it was left out. The error is a list of sentences. */
export type Field<T> = (value: unknown, name: string) => Checked<T, readonly string[]>;

type Fields = Readonly<Record<string, Field<unknown>>>;
type Values<F extends Fields> = { readonly [N in keyof F]: F[N] extends Field<infer T> ? T : never };

export function isBodyObject(value: unknown): value is BodyObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the values of these fields. The error names every invalid field, and every unknown one if unknown fields are
 * refused.
 */
export function readFields<F extends Fields>(
  body: BodyObject,
  fields: F,
  unknownFields: 'ignore' | 'refuse',
): Checked<Values<F>> {
  const unknown =
    unknownFields === 'refuse' ? Object.keys(body).filter((name) => !Object.hasOwn(fields, name)) : [];
  const errors = unknown.map((name): [string, readonly string[]] => [
    name,
    [`The field "${name}" is not known.`],
  ]);
  const values: [string, unknown][] = [];
  for (const [name, read] of Object.entries(fields)) {
    const result = read(Object.hasOwn(body, name) ? body[name] : undefined, name);
    if (result.ok) values.push([name, result.value]);
    else errors.push([name, result.error]);
  }
  // Built from entries, so that a field named `__proto__` becomes one of the errors and not their prototype.
  return errors.length > 0
    ? invalidFields(Object.fromEntries(errors))
    : ok(Object.fromEntries(values) as Values<F>);
}

/** A text that is not empty. */
export const requiredText: Field<string> = (value, name) => {
  if (typeof value === 'string' && value !== '') return ok(value);
  return problem(`The ${name} ${value === undefined || value === '' ? 'is required' : 'must be a string'}.`);
};

/** Returns a text field that accepts a text if `fault` returns null for it. */
export function textField(fault: (text: string) => string | null): Field<string> {
  return (value, name) => {
    const text = requiredText(value, name);
    const message = text.ok ? fault(text.value) : null;
    return message === null ? text : problem(message);
  };
}

export function optionalField<T>(is: (value: unknown) => value is T, noun: string): Field<T | undefined> {
  return (value, name) =>
    value === undefined || is(value) ? ok(value) : problem(`The ${name} must be ${noun}.`);
}

/** Makes a field optional. */
export function ifGiven<T>(read: Field<T>): Field<T | undefined> {
  return (value, name) => (value === undefined ? ok(undefined) : read(value, name));
}

export function oneOf<W extends string>(words: readonly W[]): (value: unknown) => value is W {
  return (value): value is W => words.some((word) => word === value);
}

export function problem(...sentences: readonly string[]): {
  readonly ok: false;
  readonly error: readonly string[];
} {
  return { ok: false, error: sentences };
}
