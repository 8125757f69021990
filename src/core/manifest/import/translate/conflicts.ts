import { sameDestinations, type Destination } from '../../../model/destinations.ts';
import { commonWords, machineOf, type Machine } from '../../../routing/overlaps/common-words.ts';
import { compilePattern } from '../../../routing/regex.ts';
import { lazily } from '../../../routing/lazily.ts';
import type { PlannedPattern } from './planned.ts';

/** The most steps for the comparisons of one domain. Patterns that were not compared count as conflicts. */
const MOST_STEPS = 2_000_000;
const STEPS_OF_PAIR = 20_000;

/** Functions that compare the mail of patterns. They are false only with a proof. */
export interface Overlaps {
  readonly mayShare: (a: PlannedPattern, b: PlannedPattern) => boolean;
  /** True if a pattern may match a name with a label after it. */
  readonly mayTakeLabels: (pattern: PlannedPattern, name: string | null) => boolean;
}

export function createOverlaps(delimiter: string): Overlaps {
  const steps = { left: MOST_STEPS };
  const anyLabel = lazily(() => machineOf(`.+${quotePattern(delimiter)}.*`));
  return {
    mayShare(a, b) {
      if (a.pattern.words !== null) return matchesAny(b, a.pattern.words);
      if (b.pattern.words !== null) return matchesAny(a, b.pattern.words);
      return haveCommon(a.machine(), b.machine(), steps);
    },
    mayTakeLabels(pattern, name) {
      if (pattern.pattern.words !== null) {
        return pattern.pattern.words.some((word) => word.startsWith(`${name ?? ''}${delimiter}`));
      }
      const labelled = name === null ? anyLabel() : machineOf(`${quotePattern(name + delimiter)}.*`);
      return haveCommon(pattern.machine(), labelled, steps);
    },
  };
}

export function hasSameEnds(a: readonly string[], b: readonly string[]): boolean {
  return sameDestinations(a as readonly Destination[], b as readonly Destination[]);
}

/** Returns a pattern that matches only this text. */
export function quotePattern(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
}

function matchesAny({ pattern }: PlannedPattern, words: readonly string[]): boolean {
  const compiled = compilePattern(pattern.text, { letterCase: 'any' });
  return !compiled.ok || words.some((word) => compiled.value.capture(word) !== null);
}

function haveCommon(a: Machine | null, b: Machine | null, steps: { left: number }): boolean {
  if (a === null || b === null || steps.left <= 0) return true;
  const own = { left: STEPS_OF_PAIR };
  const isShared = commonWords(a, b, own).next().done !== true;
  steps.left -= STEPS_OF_PAIR - own.left;
  return isShared || own.left <= 0;
}
