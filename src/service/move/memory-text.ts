import { isObject, type Json } from '../../core/fields/json.ts';
import { parseJsonText } from '../../engine/state/documents.ts';
import { iso } from '../../core/model/clock.ts';
import type { MoveMemory, RememberedCheck } from '../../core/move/memory.ts';

const KIND = 'fwdsync/move-memory@1';

/** Writes the memory of a move; see schemas/move-memory.v1.schema.json. Times are ISO 8601. */
export function writeMemory(domain: string, memory: MoveMemory): string {
  const { firstSeen, seenAt, mx, ttl, policy, check, switchedAt } = memory;
  return `${JSON.stringify({
    kind: KIND,
    domain,
    firstSeen: iso(firstSeen),
    seenAt: iso(seenAt),
    mx,
    ttl:
      ttl === null
        ? null
        : {
            seconds: ttl.seconds,
            since: iso(ttl.since),
            formerUntil: isoOrNull(ttl.formerUntil),
            unknownAt: isoOrNull(ttl.unknownAt),
          },
    policy: policy === null ? null : { ...policy, allowedSince: isoOrNull(policy.allowedSince) },
    check: check === null ? null : writeCheck(check),
    switchedAt: isoOrNull(switchedAt),
  })}\n`;
}

function writeCheck({ mx, isMxValid, missing, spfTerms }: RememberedCheck): RememberedCheck {
  return { mx, isMxValid, missing, spfTerms };
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}

/** Parses the memory of a move. Returns null if a part is missing or damaged. */
export function parseMemory(text: string): MoveMemory | null {
  const value = parseJsonText(text);
  if (!isObject(value) || value['kind'] !== KIND) return null;
  const { damaged, time, timeOrNull, count, part, records } = createReader(value);
  const memory: MoveMemory = {
    firstSeen: time(value, 'firstSeen'),
    seenAt: time(value, 'seenAt'),
    mx: records(value),
    ttl: part('ttl', (from) => ({
      seconds: count(from, 'seconds'),
      since: time(from, 'since'),
      formerUntil: timeOrNull(from, 'formerUntil'),
      unknownAt: timeOrNull(from, 'unknownAt'),
    })),
    policy: part('policy', (from) => ({
      id: typeof from['id'] === 'string' ? from['id'] : null,
      mx: texts(from['mx']),
      maxAge: count(from, 'maxAge'),
      allowedSince: timeOrNull(from, 'allowedSince'),
    })),
    check: part('check', (from) => ({
      mx: records(from) ?? [],
      isMxValid: from['isMxValid'] === true,
      missing: texts(from['missing']),
      spfTerms: texts(from['spfTerms']),
    })),
    switchedAt: timeOrNull(value, 'switchedAt'),
  };
  return damaged.length === 0 ? memory : null;
}

/** Reads parts of a document, and collects the names of those that are missing or damaged. */
function createReader(value: Json) {
  const damaged: string[] = [];
  const time = (from: Json, name: string): number => {
    const at = typeof from[name] === 'string' ? Date.parse(from[name]) : Number.NaN;
    if (Number.isNaN(at)) damaged.push(name);
    return at;
  };
  const timeOrNull = (from: Json, name: string): number | null =>
    from[name] === null ? null : time(from, name);
  const count = (from: Json, name: string): number => {
    const number = from[name];
    if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number;
    damaged.push(name);
    return 0;
  };
  const part = <T>(name: string, read: (from: Json) => T): T | null => {
    const from = value[name];
    if (isObject(from)) return read(from);
    if (from !== null) damaged.push(name);
    return null;
  };
  const records = ({ mx }: Json): MoveMemory['mx'] =>
    readRecords(mx, (record) => ({
      preference: count(record, 'preference'),
      exchange: String(record['exchange']),
    }));
  return { damaged, time, timeOrNull, count, part, records };
}

function readRecords<T>(value: unknown, read: (record: Json) => T): readonly T[] | null {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isObject).map(read) : null;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter((one) => typeof one === 'string') : [];
}
