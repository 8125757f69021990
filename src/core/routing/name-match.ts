import { isPatternName, takesOthers } from '../model/names.ts';
import { matchesGlob } from './glob.ts';
import { compilePattern, type Pattern } from './regex.ts';

/** A match between an alias name and another local part. */
export interface NameMatch {
  /** `possible`: a name such as `sales.*` may be a regular expression to the service, a glob, or literal text. */
  readonly certainty: 'certain' | 'possible';
  /** Contents of the groups, the whole match first. */
  readonly groups: readonly string[];
}

/** Compiles a matcher for other local parts than the name itself. It returns null if there is no match. */
export function matcherOf(name: string): (localPart: string) => NameMatch | null {
  const capture = patternOf(name)?.capture;
  const isCertain = isPatternName(name);
  return (localPart) => {
    const groups = capture?.(localPart) ?? null;
    if (isCertain) return groups && { certainty: 'certain', groups };
    if (groups !== null) return { certainty: 'possible', groups };
    return matchesGlob(name, localPart) ? { certainty: 'possible', groups: [localPart] } : null;
  };
}

/** The result of a condition: true or false if all interpretations agree. */
export type NameVerdict = boolean | 'possible';

/**
 * Returns what all names begin with that an alias rule such as `Sales*` takes, in lower case; null for other rules. A
 * rule such as `sales.*` may be a regular expression to the service.
 */
export function prefixOf(name: string): string | null {
  const start = plainStart(name);
  return start?.endsWith('.') === true ? null : start;
}

/** Returns the text before the `*` of a name, in lower case; null if the name has no `*` at its end, or is a pattern. */
function plainStart(name: string): string | null {
  const start = name.endsWith('*') ? name.slice(0, -1).toLowerCase() : null;
  return start === null || takesOthers(start) ? null : start;
}

/**
 * Returns the condition of an alias rule. It takes names, `*`, prefixes such as `sales*`, and regular expressions (field
 * notes: rules mode).
 */
export function aliasCondition(name: string): (localPart: string) => NameVerdict {
  const start = plainStart(name);
  if (start !== null) {
    const least = prefixOf(name) ?? start.slice(0, -1);
    return (localPart) => {
      const text = localPart.toLowerCase();
      return text.startsWith(start) || (text.startsWith(least) && 'possible');
    };
  }
  const lower = name.toLowerCase();
  if (!takesOthers(name)) {
    return (localPart) => [localPart, localPart.split('+')[0]].some((text) => text?.toLowerCase() === lower);
  }
  const match = matcherOf(name);
  return (localPart) => {
    const found = match(localPart);
    if (isPatternName(name)) return found !== null;
    const text = localPart.toLowerCase();
    if (text === lower) return true;
    return found !== null || (lower.endsWith('*') && text.startsWith(lower.slice(0, -1)))
      ? 'possible'
      : false;
  };
}

function patternOf(name: string): Pattern | null {
  const compiled = compilePattern(name, { letterCase: 'any' });
  return compiled.ok ? compiled.value : null;
}
