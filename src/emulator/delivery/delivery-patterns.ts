import { RE2JS } from 're2js';

/** Contents of a pattern's groups, the whole match first. null means no match. */
export type Match = readonly string[] | null;

const MAX_PATTERN = 1000;
const MAX_TEXT = 100_000;

interface Reading {
  readonly extent: 'whole' | 'anywhere';
  readonly letterCase: 'any' | 'exact';
}

/** Compiles a pattern in the service's dialect, which matches in linear time. Returns null if it cannot be compiled. */
export function compiledMatcher(source: string, options: Reading): ((text: string) => Match) | null {
  const regex = source.length > MAX_PATTERN ? null : tryPattern(source, options);
  if (regex === null) return null;
  return (text) => {
    const matcher = regex.matcher(text.slice(0, MAX_TEXT));
    const matches = options.extent === 'whole' ? matcher.matches() : matcher.find();
    if (!matches) return null;
    return Array.from({ length: regex.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
  };
}

/** Returns a matcher. A pattern that cannot be compiled matches nothing. */
export function patternMatcher(source: string, options: Reading): (text: string) => Match {
  return compiledMatcher(source, options) ?? (() => null);
}

function tryPattern(source: string, { extent, letterCase }: Reading): RE2JS | null {
  // Published examples such as `.*invoice.*` match a body from end to end only if the dot matches line breaks.
  const flags = extent === 'whole' ? RE2JS.DOTALL : 0;
  try {
    return RE2JS.compile(source, letterCase === 'any' ? flags | RE2JS.CASE_INSENSITIVE : flags);
  } catch {
    return null;
  }
}
