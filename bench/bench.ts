// Measures, and prints what it found with the targets: `node bench/bench.ts SUBJECT…`; without a subject all of them.
import { measureLimits } from './subjects/limits.ts';
import { measureMillion, measurePlan } from './subjects/plan.ts';
import { markdownOf, type Section } from './section.ts';

const SUBJECTS: Readonly<Record<string, () => Promise<Section>>> = {
  limits: measureLimits,
  plan: measurePlan,
  million: measureMillion,
};

const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(SUBJECTS) : asked) {
  const measure = SUBJECTS[name];
  if (measure === undefined) throw new Error(`${name} is none of ${Object.keys(SUBJECTS).join(', ')}`);
  process.stdout.write(`${markdownOf(await measure())}\n`);
}
