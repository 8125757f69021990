import { open, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measure } from '../../core/manifest/support/measured.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const LINES = 1_000_000;
const DOMAINS = 1_000;
const MOST_MEBIBYTES = 1_024;

/** Writes a map with lines of many domains in turn; every hundredth line cannot be imported. */
async function writeMap(path: string): Promise<void> {
  const file = await open(path, 'w');
  for (let line = 0; line < LINES; line += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, index) => {
      const number = line + index;
      const to = number % 100 === 99 ? '|/bin/prog' : `u${number}@corp.example`;
      return `u${number}@d${number % DOMAINS}.example ${to}\n`;
    });
    await file.write(lines.join(''));
  }
  await file.close();
}

test(`${LINES} lines are imported in at most ${MOST_MEBIBYTES} MiB`, async () => {
  const directory = await temporaryDirectory();
  await writeMap(join(directory, 'virtual'));
  const all = join(directory, 'all');
  const measured = await measure(['import', `postfix:${join(directory, 'virtual')}`, '--out-dir', all], {
    timeout: 240_000,
  });
  expect(measured.code, measured.stderr.slice(-1000)).toBe(3);
  const aliases = LINES * 0.99;
  expect(measured.stderr).toMatch(new RegExp(`^importing ${LINES} lines\n`));
  expect(measured.stderr).toContain(`${DOMAINS} domains, ${aliases} aliases, 0 rules`);
  console.info('import:', { lines: LINES, mebibytes: measured.mebibytes, cpuSeconds: measured.cpuSeconds });
  expect(measured.mebibytes).toBeLessThan(MOST_MEBIBYTES);
  expect(await readdir(all)).toHaveLength(DOMAINS + 1);
  expect(await readFile(join(all, 'd7.example.yaml'), 'utf8')).toContain('      u7: u7@corp.example\n');
}, 300_000);

test('a text that is none of its format takes no longer than its length', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'garbage');
  const hostile = [
    '"'.repeat(50_000),
    '('.repeat(50_000),
    `/${'(a*)*'.repeat(5_000)}@x\\.example$/ a@x.example`,
    ' '.repeat(100_000),
  ];
  const file = await open(path, 'w');
  await file.write(hostile.map((line) => `${line}x\n`).join(''));
  await file.close();
  for (const format of [
    'postfix',
    'postfix-regexp',
    'aliases',
    'exim',
    'table',
    'cloudflare',
    'forward-email',
  ]) {
    const { code, stderr, cpuSeconds } = await measure([
      'import',
      `${format}:${path}`,
      '--for',
      'acme.example',
    ]);
    expect([3, 5, 64], `${format}: ${stderr.slice(0, 300)}`).toContain(code);
    expect(cpuSeconds, format).toBeLessThan(10);
  }
}, 120_000);
