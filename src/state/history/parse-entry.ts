import type { HistoryEntry } from '../../model/history/entries.ts';
import { ALL_KINDS } from '../../model/kinds.ts';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || isText(value);
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isObjectOrNull: Check = (value) => value === null || isObject(value);
const isNumber: Check = (value) => typeof value === 'number';

const ITEM = {
  kind: (value) => ALL_KINDS.some((kind) => kind === value),
  action: isText,
  domain: isText,
  name: isText,
  id: isTextOrNull,
  fields: isTexts,
  from: isObjectOrNull,
  to: isObjectOrNull,
  source: isObjectOrNull,
} as const satisfies Readonly<Record<string, Check>>;

/** What each entry must have; the rest follows from who wrote it. */
const ENTRIES: Readonly<Record<HistoryEntry['entry'], Readonly<Record<string, Check>>>> = {
  run: {
    run: isText,
    command: isText,
    host: isText,
    user: isTextOrNull,
    actor: isObjectOrNull,
    commit: isObjectOrNull,
    account: isText,
    api: isObject,
    plan: isText,
  },
  'run-end': { run: isText, outcome: isText, summary: isObject },
  item: { ...ITEM, run: isText, item: isNumber, keys: isTexts, endpoint: isText },
  'item-outcome': { run: isText, item: isNumber, keys: isTexts, outcome: isText },
  'item-baseline': {
    keys: isTexts,
    account: isText,
    host: isText,
    user: isTextOrNull,
    actor: isObjectOrNull,
  },
  drift: { ...ITEM, seenAt: isText, keys: isTexts },
  'drift-end': { keys: isTexts, run: isTextOrNull },
};

/** The same as pairs: there may be a million lines. */
const CHECKS = new Map(Object.entries(ENTRIES).map(([entry, checks]) => [entry, Object.entries(checks)]));

/** A line of the history; null: it is none, or of a kind that this version does not know. */
export function parseEntry(line: string): HistoryEntry | null {
  const fields = parseObject(line);
  if (fields === null || !isText(fields['at'])) return null;
  const checks = CHECKS.get(String(fields['entry']));
  if (checks?.every(([name, check]) => check(fields[name])) !== true) return null;
  return fields as unknown as HistoryEntry;
}

function parseObject(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}
