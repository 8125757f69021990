import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test('every test that docs/security-tests.md names is there, under the name that it gives', () => {
  const text = readFileSync(join(ROOT, 'docs/security-tests.md'), 'utf8');
  const named: string[] = [];
  const missing: string[] = [];
  let file = '';
  for (const [, path, name = ''] of text.matchAll(/`(test\/[\w./-]+)`|(?<=[:,;] )"([^"|]+)"/g)) {
    if (path === undefined) named.push(name);
    else file = path;
    if (!existsSync(join(ROOT, file)) || !readFileSync(join(ROOT, file), 'utf8').includes(name)) {
      missing.push(`${file}: ${name}`);
    }
  }
  expect(named.length).toBeGreaterThan(40);
  expect(missing).toEqual([]);
});
