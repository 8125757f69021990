import { isPatternName, takesOthers } from '../../model/names.ts';
import { sameMatch, type RuleMatch } from '../../model/resources.ts';

/** Returns one condition that matches what either of two matches; null where no condition of their type says so. */
export function joinMatches(a: RuleMatch, b: RuleMatch): RuleMatch | null {
  if (a.type === 'cel' && b.type === 'cel') {
    return { type: 'cel', expression: `(${a.expression}) || (${b.expression})` };
  }
  if (a.type === 'regex' && b.type === 'regex') {
    if (!sameMatch(a, { ...b, regex: a.regex })) return null;
    return { ...a, regex: joinPatterns(a.regex, b.regex) };
  }
  if (a.type !== 'alias' || b.type !== 'alias') return null;
  const [left, right] = [patternOf(a.alias), patternOf(b.alias)];
  return left === null || right === null ? null : { type: 'alias', alias: joinPatterns(left, right) };
}

/** The outer group keeps both inside anchors that the service may add. */
function joinPatterns(a: string, b: string): string {
  return `((${a})|(${b}))`;
}

/** Field notes: rules mode. A name also takes its labelled addresses. Null where it is not known how the service reads it. */
function patternOf(alias: string): string | null {
  if (isPatternName(alias)) return alias;
  const isPrefix = alias.endsWith('*');
  const text = isPrefix ? alias.slice(0, -1) : alias;
  if (takesOthers(text)) return null;
  const literal = text.replaceAll(/[.+?*]/g, String.raw`\$&`);
  if (isPrefix) return `${literal}.*`;
  return text.includes('+') ? literal : String.raw`${literal}(\+.*)?`;
}
