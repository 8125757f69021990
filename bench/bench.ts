// `node bench/bench.ts SUBJECT…` measures some subjects and prints the results with their targets. `npm run bench` measures all, each
// in a separate process, and writes docs/performance.md with its picture.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageOf } from './page.ts';
import { ROOT } from './processes.ts';
import { markdownOf, type Section } from './section.ts';
import { measureAccounts } from './subjects/accounts.ts';
import { measureDaemon } from './subjects/daemon.ts';
import { measureDrift } from './subjects/drift.ts';
import { measureEmulator } from './subjects/emulator.ts';
import { measureFleet } from './subjects/fleet.ts';
import { measureGrowth } from './subjects/growth.ts';
import { measureLimits } from './subjects/limits.ts';
import { measureMillion, measurePlan } from './subjects/plan.ts';
import { measurePlanning } from './subjects/planning.ts';
import { measureProgress } from './subjects/progress.ts';
import { measureStart } from './subjects/start.ts';
import { measureValidate } from './subjects/validate.ts';

const SUBJECTS: Readonly<Record<string, () => Promise<Section>>> = {
  growth: measureGrowth,
  limits: measureLimits,
  progress: measureProgress,
  drift: measureDrift,
  plan: measurePlan,
  million: measureMillion,
  start: measureStart,
  validate: measureValidate,
  planning: measurePlanning,
  daemon: measureDaemon,
  accounts: measureAccounts,
  fleet: measureFleet,
  emulator: measureEmulator,
};
/** Maximum size of a subject's result in bytes, because it contains the picture. */
const MOST_BYTES = 10_000_000;

const [first, ...others] = process.argv.slice(2);
if (first === undefined) measureAll();
else if (first === '--json') process.stdout.write(JSON.stringify(await measure(others[0] ?? '')));
else for (const name of [first, ...others]) process.stdout.write(`${markdownOf(await measure(name))}\n`);

async function measure(name: string): Promise<Section> {
  const subject = SUBJECTS[name];
  if (subject === undefined) throw new Error(`${name} is none of ${Object.keys(SUBJECTS).join(', ')}`);
  return subject();
}

function measureAll(): void {
  const sections = Object.keys(SUBJECTS).map((name) => {
    const args = [join(ROOT, 'bench/bench.ts'), '--json', name];
    const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
    const told = execFileSync(process.execPath, args, { encoding: 'utf8', stdio, maxBuffer: MOST_BYTES });
    const section = JSON.parse(told) as Section;
    process.stdout.write(`${markdownOf(section)}\n`);
    return section;
  });
  const docs = join(ROOT, 'docs');
  writeFileSync(join(docs, 'performance.md'), pageOf(sections));
  for (const { pictures = {} } of sections) {
    for (const [name, svg] of Object.entries(pictures)) writeFileSync(join(docs, name), svg);
  }
}
