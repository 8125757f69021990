import { isObject } from '../../../core/fields/json.ts';
import type { HistoryEntry } from '../../../core/model/history/entries.ts';
import { ALL_KINDS, KINDS } from '../../../core/kinds/registry.ts';
import type { Kind } from '../../../core/model/kinds.ts';
import { areKept } from '../../../core/fields/fields.ts';

type Fields = Readonly<Record<string, unknown>>;
/** A check of a value; `entry` is the object that the value is a field of. */
type Check = (value: unknown, entry: Fields) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isFlag: Check = (value) => typeof value === 'boolean';
const isTime: Check = (value) =>
  typeof value === 'string' && /^\d{4}-/.test(value) && !Number.isNaN(Date.parse(value));

function oneOf(...values: readonly string[]): Check {
  return (value) => typeof value === 'string' && values.includes(value);
}

function listOf(check: Check): Check {
  return (value, entry) => Array.isArray(value) && value.every((item: unknown) => check(item, entry));
}

function orNull(check: Check): Check {
  return (value, entry) => value === null || check(value, entry);
}

/** Accepts a missing value, as in lines of earlier versions, or null. */
function optional(check: Check): Check {
  return (value, entry) => value === undefined || value === null || check(value, entry);
}

function objectWith(checks: Readonly<Record<string, Check>>): Check {
  const pairs = Object.entries(checks);
  return (value) => isObject(value) && pairs.every(([name, check]) => check(value[name], value));
}

const isTextOrNull = orNull(isText);
const isTexts = listOf(isText);
const isKind = oneOf(...ALL_KINDS);
const isState = orNull(
  (value, { kind }) => isKind(kind, {}) && isObject(value) && areKept(KINDS[kind as Kind].fields, value),
);
const isActor = orNull(objectWith({ ci: isText, name: isText, url: isTextOrNull }));

const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isCounts = objectWith({
  added: isCount,
  updated: isCount,
  moved: isCount,
  deleted: isCount,
  failed: isCount,
  skipped: isCount,
  notKept: isCount,
});

const ITEM = {
  kind: isKind,
  action: oneOf('add', 'update', 'move', 'delete'),
  domain: isText,
  name: isText,
  id: isTextOrNull,
  fields: isTexts,
  from: isState,
  to: isState,
  source: orNull(objectWith({ file: isText, line: isNumber, column: isNumber })),
} as const satisfies Readonly<Record<string, Check>>;

/** Required fields of each entry. All others depend on the writer. */
const ENTRIES: Readonly<Record<HistoryEntry['entry'], Readonly<Record<string, Check>>>> = {
  run: {
    run: isText,
    command: oneOf('apply', 'run', 'undo', 'library'),
    host: isText,
    user: isTextOrNull,
    actor: isActor,
    commit: orNull(objectWith({ sha: isText, author: isText, dirty: isFlag })),
    account: isText,
    api: objectWith({ url: isText, version: oneOf('v4', 'v3') }),
    plan: isText,
    undoes: optional(isText),
  },
  'run-end': {
    run: isText,
    outcome: oneOf('unchanged', 'converged', 'partial', 'failed', 'refused'),
    summary: isCounts,
  },
  item: {
    ...ITEM,
    run: isText,
    item: isNumber,
    keys: isTexts,
    endpoint: isText,
    via: optional(oneOf('domain')),
  },
  'item-outcome': {
    run: isText,
    item: isNumber,
    keys: isTexts,
    outcome: oneOf('done', 'failed', 'unknown', 'not-done', 'not-kept'),
    id: optional(isText),
    message: optional(isText),
  },
  'item-baseline': {
    keys: isTexts,
    account: isText,
    host: isText,
    user: isTextOrNull,
    actor: isActor,
  },
  drift: { ...ITEM, seenAt: isTime, keys: isTexts },
  'drift-end': { keys: isTexts, run: isTextOrNull },
};

/** The checks as pairs, because there may be a million lines. */
const CHECKS = new Map(Object.entries(ENTRIES).map(([entry, checks]) => [entry, Object.entries(checks)]));

/** Parses a line of the history. Returns null if it is damaged or of a kind that this version does not know. */
export function parseEntry(line: string): HistoryEntry | null {
  const fields = parseObject(line);
  if (fields === null || !isTime(fields['at'], fields)) return null;
  const checks = CHECKS.get(String(fields['entry']));
  if (checks?.every(([name, check]) => check(fields[name], fields)) !== true) return null;
  return fields as unknown as HistoryEntry;
}

function parseObject(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
