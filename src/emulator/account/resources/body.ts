import { invalidFields, ok, type Checked } from '../checked.ts';

/** A JSON object as it arrived. */
export type BodyObject = Readonly<Record<string, unknown>>;

/** Reads a field; undefined: it was left out. The error says what is wrong, in sentences. */
export type Field<T> = (value: unknown, name: string) => Checked<T, readonly string[]>;

type Fields = Readonly<Record<string, Field<unknown>>>;
type Values<F extends Fields> = { readonly [N in keyof F]: F[N] extends Field<infer T> ? T : never };

export function isBodyObject(value: unknown): value is BodyObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The values of these fields; the error names every field that is wrong, and those that are not known, where these count. */
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
  // Made from entries: a field named `__proto__` must become one of the errors, not their prototype.
  return errors.length > 0
    ? invalidFields(Object.fromEntries(errors))
    : ok(Object.fromEntries(values) as Values<F>);
}

/** Not empty. */
export const requiredText: Field<string> = (value, name) => {
  if (typeof value === 'string' && value !== '') return ok(value);
  return problem(`The ${name} ${value === undefined || value === '' ? 'is required' : 'must be a string'}.`);
};

/** A text of which `fault` finds nothing to say. */
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

/** As the field says, but it may be left out. */
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
