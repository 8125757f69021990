/** What JSON from outside must look like. All problems are found in one go, each with its place. */

export interface ShapeProblem {
  /** As in `$.domains[3].aliases[0].forward`. */
  readonly path: string;
  readonly message: string;
}

/** The problems of a value, their paths relative to it. */
export type Shape = (value: unknown) => readonly ShapeProblem[];

const FINE: readonly ShapeProblem[] = [];
const MAX_PROBLEMS = 20;

/** At most 20 of them, with whole paths; none: the value is what the shape says. */
export function problemsOf(shape: Shape, value: unknown): readonly ShapeProblem[] {
  return prefixed('$', shape(value)).slice(0, MAX_PROBLEMS);
}

/** `accepts` says what is wrong with a value of the type; null: nothing. */
export const text = (accepts?: (value: string) => string | null): Shape =>
  typed('string', 'a string', accepts);
export const number = (accepts?: (value: number) => string | null): Shape =>
  typed('number', 'a number', accepts);
export const flag: Shape = typed('boolean', 'true or false');
export const anything: Shape = () => FINE;

export const nonEmpty: Shape = text((value) => (value === '' ? 'must not be empty' : null));
export const wholeNumber = (minimum: number): Shape =>
  number((value) =>
    Number.isSafeInteger(value) && value >= minimum ? null : `must be a whole number of at least ${minimum}`,
  );
/** Epoch milliseconds, or a text that reads as a time. */
export const time: Shape = (value) => {
  const isTime =
    (typeof value === 'string' || typeof value === 'number') && !Number.isNaN(new Date(value).getTime());
  return isTime ? FINE : wrong('must be an ISO 8601 time or epoch milliseconds');
};

export function oneOf(...values: readonly (string | number | boolean | null)[]): Shape {
  return (value) =>
    values.some((known) => known === value)
      ? FINE
      : wrong(`must be one of ${values.map((known) => JSON.stringify(known)).join(', ')}`);
}

export function nullable(shape: Shape): Shape {
  return (value) => (value === null ? FINE : shape(value));
}

/** The first shape for values of this type, the second for all others. */
export function byType(type: 'string' | 'number', first: Shape, second: Shape): Shape {
  return (value) => (typeof value === type ? first(value) : second(value));
}

/** `keys` gives what no other item may have too. */
export function listOf(item: Shape, keys?: (item: never) => readonly (string | number)[]): Shape {
  return (value) => {
    if (!Array.isArray(value)) return wrong('must be an array');
    const problems: ShapeProblem[] = [];
    const owners = new Map<string | number, number>();
    for (const [index, entry] of value.entries()) {
      const found = item(entry);
      problems.push(...prefixed(`[${index}]`, found));
      for (const key of found.length > 0 ? [] : (keys?.(entry as never) ?? [])) {
        const owner = owners.get(key) ?? index;
        owners.set(key, owner);
        if (owner === index) continue;
        problems.push({ path: `[${index}]`, message: `has ${JSON.stringify(key)}, as item ${owner} has` });
      }
      if (problems.length >= MAX_PROBLEMS) break;
    }
    return problems;
  };
}

export function mapOf(item: Shape): Shape {
  return (value) => {
    if (!isObject(value)) return wrong('must be an object');
    return Object.entries(value).flatMap(([name, entry]) => within(name, item(entry)));
  };
}

/** An object with these fields and no others; those of `optional` may be missing. */
export function object(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const shapes = new Map(Object.entries({ ...required, ...optional }));
  const names = Object.keys(required);
  return (value) => {
    if (!isObject(value)) return wrong('must be an object');
    const missing = names.filter((name) => !Object.hasOwn(value, name));
    const problems = missing.map((name) => ({ path: place(name), message: 'is missing' }));
    for (const name of Object.keys(value)) {
      const found = shapes.get(name)?.(value[name]) ?? unknownField(shapes.keys());
      if (found.length > 0) problems.push(...within(name, found));
    }
    return problems.slice(0, MAX_PROBLEMS);
  };
}

/** An object whose other fields depend on the word in the field `tag`. */
export function taggedBy(tag: string, shapes: Readonly<Record<string, Shape>>): Shape {
  const known = new Map(Object.entries(shapes));
  return (value) => {
    if (!isObject(value)) return wrong('must be an object');
    const word = Object.hasOwn(value, tag) ? value[tag] : undefined;
    const shape = typeof word === 'string' ? known.get(word) : undefined;
    if (shape !== undefined) return shape(value);
    return within(tag, word === undefined ? wrong('is missing') : oneOf(...known.keys())(word));
  };
}

function typed(
  type: 'string' | 'number' | 'boolean',
  noun: string,
  accepts?: (value: never) => string | null,
): Shape {
  return (value) => {
    // oxlint-disable-next-line valid-typeof -- the type is a parameter
    if (typeof value !== type) return wrong(`must be ${noun}`);
    const problem = accepts?.(value as never) ?? null;
    return problem === null ? FINE : wrong(problem);
  };
}

function wrong(message: string): readonly ShapeProblem[] {
  return [{ path: '', message }];
}

function unknownField(known: Iterable<string>): readonly ShapeProblem[] {
  return wrong(`is not known; known are ${[...known].join(', ')}`);
}

function within(name: string, problems: readonly ShapeProblem[]): readonly ShapeProblem[] {
  return prefixed(place(name), problems);
}

function prefixed(prefix: string, problems: readonly ShapeProblem[]): readonly ShapeProblem[] {
  return problems.map(({ path, message }) => ({ path: prefix + path, message }));
}

function place(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
