import type { Switches } from './switches.ts';

/** Messages about each field by its name, in the form that error bodies carry (v4: Errors). */
export type FieldMessages = Readonly<Record<string, readonly string[]>>;

/** The reason for a refusal. */
export interface Refusal {
  /** The answer's HTTP status, or the name of the switch that holds it. */
  readonly status: number | StatusSwitch;
  readonly message: string;
  readonly errors: FieldMessages;
}

type StatusSwitch = Extract<keyof Switches, `${string}Status`>;

export type Checked<T, E = Refusal> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

type Refused = Extract<Checked<never>, { readonly ok: false }>;

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function refuse(status: Refusal['status'], message: string, errors: FieldMessages = {}): Refused {
  return { ok: false, error: { status, message, errors } };
}

/** Refuses a request with field errors. `message` repeats the first field message (v4: Errors). */
export function invalidFields(errors: FieldMessages): Refused {
  return refuse(400, Object.values(errors)[0]?.[0] ?? 'The request is not valid.', errors);
}

export function invalid(field: string, message: string): Refused {
  return invalidFields({ [field]: [message] });
}

const UNKNOWN = {
  domain: 'unknownStatus',
  alias: 'unknownStatus',
  credential: 'unknownStatus',
  rule: 'unknownRuleStatus',
  log: 404,
} as const;

/** Returns the item, or a "not found" refusal if it is undefined. */
export function found<T>(item: T | undefined, what: keyof typeof UNKNOWN): Checked<T> {
  if (item !== undefined) return ok(item);
  return refuse(UNKNOWN[what], `${what} not found`);
}
