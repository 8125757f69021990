import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';

const TESTS = new URL('./', import.meta.url);
const TABLE = new URL('../../docs/emulator-tests.md', import.meta.url);

/** Sections of the two API documents, with the names of the table. */
const SECTIONS = {
  v4: {
    Resources: `Account, Domain, Alias, Rule, Email log entry, SMTP credential, Domain verification result,
      Batch failure entry`,
    Endpoints: 'Account, Domains, Aliases, Rules, Email logs, SMTP credentials',
    '': 'What the service does, States and transitions, Authentication, Events, Errors, Limits, Versioning',
  },
  v3: {
    Resources: `differences in general, Account, Domain, Alias, Rule, SMTP credential, Whitelabel entry, Log entry,
      Domain verification result`,
    Endpoints: 'Account, Domains, Aliases, Rules, Email logs, SMTP credentials',
    '': 'Events, Errors, Limits',
  },
};

/** Returns the names of the test files of each section. A section may have several rows. */
async function readTable(): Promise<Map<string, readonly string[]>> {
  const text = await readFile(TABLE, 'utf8');
  const table = new Map<string, readonly string[]>();
  for (const [, section = '', cell = ''] of text.matchAll(/^\| (v[34]: [^|]+?) *\| (.+?) *\|$/gm)) {
    const names = [...cell.matchAll(/`([a-z0-9/-]+)` ?/g)].map(([, name = '']) => name);
    table.set(section, [...(table.get(section) ?? []), ...names]);
  }
  return table;
}

describe('the table of docs/emulator-tests.md', () => {
  test('it has every section of both documents, and no other', async () => {
    const wanted = Object.entries(SECTIONS).flatMap(([version, parts]) =>
      Object.entries(parts).flatMap(([part, names]) =>
        names.split(/,\s+/).map((name) => `${version}: ${part === '' ? '' : `${part}: `}${name}`),
      ),
    );
    expect([...(await readTable()).keys()].toSorted()).toEqual(wanted.toSorted());
  });

  test('every file that it names exists, and has tests', async () => {
    for (const [section, names] of await readTable()) {
      const files = names;
      expect(files, section).not.toEqual([]);
      for (const name of files) {
        expect(await readFile(new URL(`${name}.test.ts`, TESTS), 'utf8'), section).toContain('test');
      }
    }
  });

  test('every file of facts is in it', async () => {
    const named = new Set([...(await readTable()).values()].flat());
    const files = (await readdir(TESTS, { recursive: true })).filter((file) =>
      /^(?:v\d|both)\/.*\.test\.ts$/.test(file),
    );
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !named.has(file.replace('.test.ts', '')))).toEqual([]);
  });

  test('every test in a file of facts begins with its section, but for what logs need beside them', async () => {
    const files = (await readdir(TESTS, { recursive: true })).filter((file) =>
      /^(?:v\d|both)\/.*(?<!\/logs)\.test\.ts$/.test(file),
    );
    for (const file of files) {
      const text = await readFile(new URL(file, TESTS), 'utf8');
      const outermost = [...text.matchAll(/^(?:describe|test)(?:\.each\([^)]*\))?\('([^']*)'/gm)];
      expect(outermost.length, file).toBeGreaterThan(0);
      for (const [, name] of outermost) expect(name, file).toMatch(/^(?:v[34]|%s): [A-Z]/);
    }
  });
});
