import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import pkg from '../package.json' with { type: 'json' };
import { processContext } from '../src/cli/context.ts';
import { execute } from '../src/cli/execute.ts';
import { createProgram } from '../src/cli/program.ts';
import { codeBlocks } from './support/code-blocks.ts';

const ROOT = join(import.meta.dirname, '..');
const filesBelow = (directory: string, ending: string): readonly string[] =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(directory, path));
const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md'),
  ...filesBelow('docs', '.md'),
];
const TESTS = filesBelow('test', '.test.ts');
const PROGRAM = createProgram(processContext(), [], { finish: () => {}, execute });

/** Code of a page: spans, and the lines of blocks without comments, one command each. */
function codeOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const lines = codeBlocks(text).flatMap((block) => block.text.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  const spans = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...spans, ...lines.map((line) => line.replace(/(^|\s)#.*$/, ''))];
}

/** Returns the command and flags of each command line of fwdsync, however it is started. */
function linesOf(page: string): readonly (readonly [string, readonly string[]])[] {
  return codeOf(page)
    .filter((code) => !code.includes('npm install'))
    .flatMap((code) => code.split(/&&|\|\||[|;)<>]/))
    .flatMap((code) => {
      const [, command, rest = ''] =
        /(?:^|[\s($])(?:\/app\/dist\/fwdsync\.js|fwdsync(?: --(?= ))?) ([a-z]+)(?=\s|$)(.*)/.exec(code) ?? [];
      return command === undefined ? [] : [[command, rest.match(/(?<=\s)--?[a-z][a-z-]*/g) ?? []] as const];
    });
}

function unknownIn([name, flags]: readonly [string, readonly string[]]): readonly string[] {
  const command: Command | undefined = PROGRAM.commands.find((declared) => declared.name() === name);
  if (command === undefined) return name === 'help' ? [] : [name];
  const known = command.options.flatMap(({ long, short }) => [long, short]);
  return flags.filter((flag) => !known.includes(flag) && flag !== '--help').map((flag) => `${name} ${flag}`);
}

describe.each(PAGES)('%s names', (page) => {
  test('commands and options that exist', () => {
    expect(linesOf(page).flatMap(unknownIn)).toEqual([]);
  });

  test('scripts, test files and programs that exist', () => {
    const text = codeOf(page).join('\n');
    const scripts = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(scripts.filter((name) => !Object.hasOwn(pkg.scripts, name))).toEqual([]);
    const filters = [...text.matchAll(/vitest run ([^\n]*)/g)].flatMap(
      ([, line = '']) => line.match(/(?:^|\s)test\/\S*/g) ?? [],
    );
    expect(filters.filter((filter) => !TESTS.some((path) => path.includes(filter.trim())))).toEqual([]);
    const programs = [...text.matchAll(/\bnode ([\w./-]+\.(?:ts|mjs|js))\b/g)].map(([, path = '']) => path);
    expect(
      programs.filter((path) => !path.startsWith('/app/dist/') && !existsSync(join(ROOT, path))),
    ).toEqual([]);
  });

  test('files and folders that exist', () => {
    const paths = codeOf(page).flatMap(
      (code) =>
        /^(?:src|test|docs|schemas|examples|deploy|bench|action|\.ci)\/[\w./-]*$/.exec(code)?.[0] ?? [],
    );
    expect(paths.filter((path) => !existsSync(join(ROOT, path)) && !PLANNED.has(path))).toEqual([]);
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)].map(
      ([, path = '']) => path,
    );
    const missing = links.filter((path) => !existsSync(join(ROOT, dirname(page), path)));
    expect(missing.map((path) => relative('.', path))).toEqual([]);
  });
});

/** Files that the page tells its reader to make. */
const PLANNED: ReadonlySet<string> = new Set([
  'src/core/manifest/sections/contacts.ts',
  'src/core/plan/diff/contacts.ts',
  'src/client/operations/contacts.ts',
  'deploy/manifests/',
  'deploy/secrets/fwdsync-key',
]);

test('command lines are found in the pages', () => {
  const lines = PAGES.flatMap(linesOf);
  expect(new Set(lines.map(([name]) => name)).size).toBeGreaterThan(15);
  expect(lines.flatMap(([, flags]) => flags).length).toBeGreaterThan(50);
});

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
