import { RE2JS } from 're2js';
import { fail, succeed, type Result } from '../model/result.ts';

/** A regular expression in RE2 syntax; matching takes time linear in the text. */
export interface Pattern {
  /** Whether it matches some part of the text. */
  readonly finds: (text: string) => boolean;
  /** Whether it matches the text from its first to its last character. */
  readonly matchesAll: (text: string) => boolean;
  /** What its groups hold when it matches the whole text, the whole first; null when it does not. */
  readonly capture: (text: string) => readonly string[] | null;
  readonly groups: number;
}

export interface PatternFault {
  readonly message: string;
  readonly hint: string;
}

/** Longer patterns are refused: compiling takes time and memory beyond the use of any of them. */
const MAX_PATTERN_LENGTH = 10_000;

/** Compiles a pattern as the service's RE2-like dialects take it: no look-around, no back-references. */
export function compilePattern(
  source: string,
  options: { readonly letterCase: 'exact' | 'any' },
): Result<Pattern, PatternFault> {
  if (source.length > MAX_PATTERN_LENGTH) {
    const message = `the pattern is longer than ${MAX_PATTERN_LENGTH} characters`;
    return fail({ message, hint: 'split it into several rules' });
  }
  try {
    const flags = RE2JS.DOTALL | (options.letterCase === 'any' ? RE2JS.CASE_INSENSITIVE : 0);
    return succeed(wrap(RE2JS.compile(source, flags)));
  } catch (error) {
    return fail(explain(source, error));
  }
}

function wrap(compiled: RE2JS): Pattern {
  const groups = compiled.groupCount();
  return {
    groups,
    finds: (text) => compiled.test(text),
    matchesAll: (text) => compiled.testExact(text),
    capture(text) {
      const matcher = compiled.matcher(text);
      if (!matcher.matches()) return null;
      return Array.from({ length: groups + 1 }, (_, index) => matcher.group(index) ?? '');
    },
  };
}

function explain(source: string, error: unknown): PatternFault {
  if (/\(\?(?:[=!]|<[=!])/.test(source)) {
    return {
      message: 'look-around is not supported (RE2 syntax)',
      hint: 'use several rules in order instead',
    };
  }
  if (/\\(?:[1-9]|k[<{'])/.test(source)) {
    return {
      message: 'back-references are not supported (RE2 syntax)',
      hint: 'write the pattern without them',
    };
  }
  const reason = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : 'not valid';
  return { message: `the pattern does not compile: ${reason}`, hint: 'write it in RE2 syntax' };
}
