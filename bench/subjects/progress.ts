import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inDirectory, ROOT } from '../processes.ts';
import type { Section } from '../section.ts';

/** The used part of vitest's report of a test. */
interface Reported {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly meta: { readonly largestError?: number };
    }[];
  }[];
}

/** Measures the error of the printed time left, as found by its test in virtual time. */
export async function measureProgress(): Promise<Section> {
  const tests = await inDirectory(async (directory) => {
    const file = join(directory, 'report.json');
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', 'test/cli/time-left.test.ts', '--reporter=json', `--outputFile=${file}`];
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Reported;
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  });
  const errors = tests.flatMap(({ title, meta }) =>
    meta.largestError === undefined ? [] : [{ title, error: meta.largestError }],
  );
  if (errors.length === 0) throw new Error('no test says how wrong the time left is');
  return {
    title: 'The time left',
    text: [
      'Commands against the emulator in virtual time, about ten windows long. The table shows the largest error ' +
        'of the printed time left after the first tenth, as a share of the whole run. Windows are fixed, from the ' +
        'first request or by the clock, or sliding.',
    ],
    head: ['run', 'largest error'],
    rows: errors.map(({ title, error }) => [
      title.replace(/^(\w+) windows, \["(\w+)".*$/, '`$2`, $1 windows'),
      `${(100 * error).toFixed(1)} %`,
    ]),
    figures: [
      {
        name: 'largest error of the time left after the first tenth of ten windows',
        value: Math.max(...errors.map(({ error }) => error)),
        atMost: 0.15,
      },
    ],
  };
}
