import { ALL_KINDS, SECTIONS } from '../../model/kinds.ts';

/** Where a value is not as it must be, such as `changes[3].name`; '' is the value itself, null: it fits. */
type Check = (value: unknown) => string | null;

/**
 * The first part without which, or with which, a plan document cannot be shown; null when there is none. Fields that are
 * not known are left alone: a newer fwdsync may have written them.
 */
export function planShapeFault(value: unknown): string | null {
  return plan(value);
}

const text: Check = (value) => (typeof value === 'string' ? null : '');
const count: Check = (value) => (Number.isFinite(value) && Number(value) >= 0 ? null : '');
const flag: Check = (value) => (typeof value === 'boolean' ? null : '');
const scalar: Check = (value) => (typeof value === 'object' && value !== null ? '' : null);

const source = nullOr(record({ file: text, line: count, column: count }));
const note = { code: text, message: text, source };
const fields = nullOr(mapOf(either(scalar, listOf(scalar))));
const contents = record(Object.fromEntries(SECTIONS.map((section) => [section, count])));

const change = record(
  {
    action: oneOf('add', 'update', 'move', 'delete'),
    kind: oneOf(...ALL_KINDS),
    domain: text,
    name: text,
    id: nullOr(text),
    fields: listOf(text),
    observed: fields,
    desired: fields,
    stage: count,
    conditional: flag,
    reason: text,
    source,
  },
  { via: source, after: nullOr(text), contents },
);

const guard = record({
  guard: text,
  scope: text,
  limit: count,
  planned: count,
  allow: nullOr(text),
  allowed: flag,
  refuses: flag,
  message: text,
});

const names = listOf(text);
const options = record(
  { paths: names, domains: nullOr(names) },
  {
    account: record({ name: text, set: text }),
    allowDeletes: count,
    allowReroutes: count,
    allowDomainDelete: names,
    allowEmpty: names,
    allowUnrouted: names,
    rotate: names,
    skipRefused: oneOf(true),
    mask: oneOf(true),
  },
);

const counts = {
  add: count,
  update: count,
  move: count,
  delete: count,
  conditional: count,
  unchanged: count,
  unmanaged: count,
};

const plan = record(
  {
    kind: oneOf('fwdsync/plan@1'),
    createdAt: text,
    digest: text,
    api: record({ url: text, version: oneOf('v4', 'v3'), account: text }),
    manifest: record({ files: names, digest: text }),
    options,
    summary: record(counts),
    unchanged: mapOf(count),
    changes: listOf(change),
    guards: listOf(guard),
    allowances: names,
    withheld: listOf(record({ domain: text, part: oneOf('domain', 'deletes'), reason: text })),
    warnings: listOf(record(note, { hint: text })),
    problems: listOf(record({ ...note, hint: text })),
    forecast: record({ requests: count, writes: count, seconds: count, limit: nullOr(count) }),
  },
  { usage: listOf(record({ what: text, used: count, limit: count })) },
);

function record(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  return (value) => {
    if (!isRecord(value)) return '';
    for (const [name, check] of Object.entries(required)) {
      const fault = check(Object.hasOwn(value, name) ? value[name] : undefined);
      if (fault !== null) return within(name, fault);
    }
    for (const [name, check] of Object.entries(optional)) {
      const fault = Object.hasOwn(value, name) ? check(value[name]) : null;
      if (fault !== null) return within(name, fault);
    }
    return null;
  };
}

function listOf(check: Check): Check {
  return (value) => (Array.isArray(value) ? firstFault([...value.entries()], check, (at) => `[${at}]`) : '');
}

function mapOf(check: Check): Check {
  return (value) => (isRecord(value) ? firstFault(Object.entries(value), check, String) : '');
}

function firstFault(
  parts: readonly (readonly [string | number, unknown])[],
  check: Check,
  show: (place: string | number) => string,
): string | null {
  for (const [place, part] of parts) {
    const fault = check(part);
    if (fault !== null) return within(show(place), fault);
  }
  return null;
}

function nullOr(check: Check): Check {
  return (value) => (value === null ? null : check(value));
}

function either(one: Check, other: Check): Check {
  return (value) => (one(value) === null ? null : other(value));
}

function oneOf(...allowed: readonly unknown[]): Check {
  return (value) => (allowed.includes(value) ? null : '');
}

function within(place: string, fault: string): string {
  return fault === '' || fault.startsWith('[') ? `${place}${fault}` : `${place}.${fault}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
