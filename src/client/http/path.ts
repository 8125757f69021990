import { DecodeError } from '../../core/fields/json.ts';
import { escapeInvisible } from '../../core/model/names.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';

/** Characters that a segment must not contain, encoded or not. A proxy on the way may decode, merge or cut them. */
const UNSAFE = /[\u0000-\u0020/\\?#%\u007f]/;
/** Words that routes of either version have in the place of an id. */
const RESERVED = new Set(['batch', 'bulk', 'aliases-all', 'count', 'search']);
/** Segments in which a reserved word would name another endpoint. */
const IDS = new Set(['id', 'alias', 'rule']);

/** Builds a path below the base URL from a template and checked segments. The error says why that is impossible. */
export function buildPath(
  template: string,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string | number | boolean>> = {},
): Result<string, string> {
  const segments: string[] = [];
  for (const part of template.split('/').slice(1)) {
    if (!part.startsWith(':')) {
      segments.push(part);
      continue;
    }
    const name = part.slice(1);
    const value = params[name];
    if (value === undefined) return fail(`the path of a request has no value for :${name}`);
    const fault = segmentFault(name, value);
    if (fault !== null) return fail(fault);
    segments.push(encodeURIComponent(value));
  }
  return succeed(`/${segments.join('/')}${queryText(query)}`);
}

/** Returns why a value cannot be used as a segment of a template, or null if it can. */
export function segmentFault(name: string, value: string): string | null {
  if (isSafeSegment(name, value)) return null;
  return `${escapeInvisible(JSON.stringify(value))} cannot be :${name} in the path of a request`;
}

/** Returns the value under which requests address an item; throws if no path can hold it. */
export function addressable(segment: string, value: string): string {
  const fault = segmentFault(segment, value);
  if (fault === null) return value;
  throw new DecodeError(fault);
}

function isSafeSegment(name: string, value: string): boolean {
  if (value === '' || value === '.' || value === '..' || UNSAFE.test(value)) return false;
  return value.isWellFormed() && !(IDS.has(name) && RESERVED.has(value.toLowerCase()));
}

function queryText(query: Readonly<Record<string, string | number | boolean>>): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}
