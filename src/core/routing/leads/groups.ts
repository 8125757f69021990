import { compilePattern } from '../regex.ts';

/** Returns a function that tells whether a group of a regular expression may hold a text; group 0 is the whole. */
export function groupOf(pattern: string, group: number): (text: string) => boolean {
  const source = group === 0 ? pattern : groupSource(pattern, group);
  const compiled = source === null ? null : compilePattern(source, { letterCase: 'any' });
  // Part of an expression may mean nothing alone: then any text may be in it.
  return compiled?.ok === true ? compiled.value.matchesAll : () => source !== null;
}

/** Returns the words that a group may hold where it is nothing but words such as `info|sales`, without case; else null. */
export function wordsOfGroup(pattern: string, group: number): readonly string[] | null {
  const source = group === 0 ? pattern : groupSource(pattern, group);
  return source !== null && /^[\w-]+(?:\|[\w-]+)*$/.test(source) ? source.toLowerCase().split('|') : null;
}

/** Parts of an expression in RE2 syntax: an escape, a class, the beginning of a group, flags, the end of a group. */
const PARTS = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:P?<\w+>|[^)]*?[:)]))?|\)/gs;

/** Returns what stands between the parentheses of a group; null means that there is no such group. */
function groupSource(pattern: string, group: number): string | null {
  const starts: { readonly group: number; readonly at: number }[] = [];
  let groups = 0;
  for (const { 0: part, index } of pattern.matchAll(PARTS)) {
    const opening = /^\((\?P?<\w+>|\?.*:)?$/s.exec(part);
    if (opening !== null) {
      const captures = opening[1]?.endsWith(':') !== true;
      groups += Number(captures);
      starts.push({ group: captures ? groups : -1, at: index + part.length });
    } else if (part === ')') {
      const start = starts.pop();
      if (start?.group === group) return pattern.slice(start.at, index);
    }
  }
  return null;
}
