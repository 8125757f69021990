import type { RE2JS } from 're2js';
import { quote } from '../model/names.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import { re2 } from './libraries.ts';

/** A regular expression in RE2 syntax. Matching takes time linear in the text. */
export interface Pattern {
  /** True if it matches a part of the text. */
  readonly finds: (text: string) => boolean;
  /**
   * True if it matches the text from its first to its last character, including line breaks. The published examples, such as
   * `.*invoice.*`, are meant for bodies too (field notes: rules mode).
   */
  readonly matchesAll: (text: string) => boolean;
  /** Returns the contents of its groups if it matches the whole text, the whole match first; null if it does not. */
  readonly capture: (text: string) => readonly string[] | null;
  readonly groups: number;
}

export interface PatternFault {
  readonly message: string;
  readonly hint: string;
  /** Position in the pattern, counted from 0. null means the whole pattern. */
  readonly offset: number | null;
}

/** Longer patterns are refused. They are not useful, and compiling them takes too much time and memory. */
const MAX_PATTERN_LENGTH = 10_000;

/** Compiles a pattern in the service's RE2-like dialect: no look-around, no back-references. */
export function compilePattern(
  source: string,
  options: { readonly letterCase: 'exact' | 'any' },
): Result<Pattern, PatternFault> {
  if (source.length > MAX_PATTERN_LENGTH) {
    const message = `the pattern is longer than ${MAX_PATTERN_LENGTH} characters`;
    return fail({ message, hint: 'split it into several rules', offset: null });
  }
  try {
    const { RE2JS } = re2();
    const flags = options.letterCase === 'any' ? RE2JS.CASE_INSENSITIVE : 0;
    let overLines: RE2JS | undefined;
    const matchesAll = (text: string): boolean =>
      (overLines ??= RE2JS.compile(source, flags | RE2JS.DOTALL)).testExact(text);
    return succeed({ ...wrap(RE2JS.compile(source, flags)), matchesAll });
  } catch (error) {
    return fail(explain(source, error));
  }
}

function wrap(compiled: RE2JS): Omit<Pattern, 'matchesAll'> {
  const groups = compiled.groupCount();
  return {
    groups,
    finds: (text) => compiled.test(text),
    capture(text) {
      const matcher = compiled.matcher(text);
      if (!matcher.matches()) return null;
      return Array.from({ length: groups + 1 }, (_, index) => matcher.group(index) ?? '');
    },
  };
}

function explain(source: string, error: unknown): PatternFault {
  const { error: reason = 'it is not valid', input } = error as { error?: string; input?: string | null };
  const offset = offsetOf(input ?? null, source);
  if (/^\(\?<?[=!]/.test(input ?? '')) {
    const message = 'look-around is not supported (RE2 syntax)';
    return { message, hint: 'use several rules in order instead', offset };
  }
  if (/^\\[1-9k]/.test(input ?? '')) {
    const message = 'back-references are not supported (RE2 syntax)';
    return { message, hint: 'write the pattern without them', offset };
  }
  const part = offset === null || !input ? '' : `: ${quote(input)}`;
  return {
    message: `the pattern does not compile: ${reason}${part}`,
    hint: 'write it in RE2 syntax',
    offset,
  };
}

/**
 * Returns the position of the wrong part, which the library names only as text. Returns null if that part is the whole
 * pattern or occurs more than once.
 */
function offsetOf(part: string | null, source: string): number | null {
  if (part === null || part === '' || part === source) return null;
  const offset = source.indexOf(part);
  return offset >= 0 && source.indexOf(part, offset + 1) < 0 ? offset : null;
}
