import { isPatternName, takesOthers } from '../model/names.ts';
import { matchesGlob } from './glob.ts';
import { compilePattern, type Pattern } from './regex.ts';

/** How the name of an alias matches a local part other than itself. */
export interface NameMatch {
  /** `possible`: the service may take `sales.*` as a regular expression, with `*` for any run, or letter by letter. */
  readonly certainty: 'certain' | 'possible';
  /** What the groups hold, the whole first. */
  readonly groups: readonly string[];
}

/** Compiles how a name matches other local parts than itself; null where it matches none. */
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

/** True or false where all readings of a condition agree. */
export type NameVerdict = boolean | 'possible';

/** Alias rules take names, `*`, prefixes such as `sales*`, and regular expressions (field notes: rules mode). */
export function aliasCondition(name: string): (localPart: string) => NameVerdict {
  const lower = name.toLowerCase();
  const prefix = lower.endsWith('*') ? lower.slice(0, -1) : null;
  if (prefix !== null && !takesOthers(prefix)) {
    return (localPart) => localPart.toLowerCase().startsWith(prefix);
  }
  if (!takesOthers(name)) {
    return (localPart) => [localPart, localPart.split('+')[0]].some((text) => text?.toLowerCase() === lower);
  }
  const match = matcherOf(name);
  return (localPart) => {
    const found = match(localPart);
    if (isPatternName(name)) return found !== null;
    const text = localPart.toLowerCase();
    if (text === lower) return true;
    return found !== null || (prefix !== null && text.startsWith(prefix)) ? 'possible' : false;
  };
}

function patternOf(name: string): Pattern | null {
  const compiled = compilePattern(name, { letterCase: 'any' });
  return compiled.ok ? compiled.value : null;
}
