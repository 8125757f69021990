import type { Forwards } from '../resolve/find.ts';
import type { SourceReading } from '../resolve/reading.ts';
import { hasSameEnds } from './conflicts.ts';
import { placeOfPattern, type Missing } from './missing.ts';
import { planPattern, type PlannedPattern } from './planned.ts';

/** Plans the patterns of a reading in order. Leaves out a pattern that equals an earlier one, because it gets no mail. */
export function planPatterns(
  { levels }: SourceReading,
  forwards: Forwards,
  missing: Missing[],
): readonly PlannedPattern[] {
  const plans = new Map<string, PlannedPattern>();
  const others: PlannedPattern[] = [];
  for (const [level, { domain, patterns }] of levels.entries()) {
    for (const entry of patterns) {
      // A pattern of the domain that mail is passed on to is a different pattern here.
      const shown = level === 0 ? entry.shown : `${entry.shown} for ${levels[0]?.domain ?? domain}`;
      const plan = planPattern({ ...entry, shown }, forwards, level);
      const first = plans.get(plan.text);
      if (first === undefined) plans.set(plan.text, plan);
      else if (plan.ignoresLabels && !hasSameEnds(first.forward, plan.forward)) others.push(plan);
      else if (level === 0)
        missing.push({ ...placeOfPattern(plan), reason: 'duplicate', mail: { kind: 'none' } });
    }
  }
  return [...plans.values(), ...others];
}
