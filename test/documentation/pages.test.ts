import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processContext } from '../../src/cli/context.ts';
import { execute } from '../../src/cli/execute.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { createProgram } from '../../src/cli/program.ts';
import { ERROR_CODES } from '../../src/core/manifest/problem-codes.ts';
import { FINDING_CODES } from '../../src/core/model/lint/findings.ts';
import { GUARD_NAMES } from '../../src/core/model/plan.ts';
import { NOTICE_EVENTS } from '../../src/service/notify/notice.ts';
import { createMetrics } from '../../src/service/status/metrics.ts';
import { codeBlocks, documentedCommands, programCommands } from '../support/code-blocks.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name));
const PAGES = [...readdirSync(ROOT).filter((name) => name.endsWith('.md')), ...DOCS];

const LONGEST_CELL = 200;

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Returns the lines of a page that are not in a code block, by their numbers. */
function proseOf(page: string): readonly (readonly [line: number, text: string])[] {
  let isCode = false;
  return read(page)
    .split('\n')
    .flatMap((text, index) => {
      const isFence = text.trimStart().startsWith('```');
      if (isFence) isCode = !isCode;
      return isFence || isCode ? [] : [[index + 1, text] as const];
    });
}

/** Returns the pages that a page links to. A folder stands for its README.md. */
function linksOf(page: string): readonly string[] {
  const text = proseOf(page)
    .map(([, line]) => line)
    .join('\n');
  return [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, target = '']) => {
    const path = normalize(join(page, '..', target));
    return path.endsWith('.md') ? path : join(path, 'README.md');
  });
}

/** Returns the anchor that GitHub gives to each heading of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  return new Set(
    proseOf(page).flatMap(([, line]) => {
      const [, heading] = /^#+ (.*)$/.exec(line) ?? [];
      return heading === undefined ? [] : [anchorOf(heading)];
    }),
  );
}

function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

test('no page of docs/ is more than two clicks from README.md, and docs/README.md is the map of all', () => {
  const reached = new Set(
    linksOf('README.md').flatMap((page) => [page, ...(existing(page) ? linksOf(page) : [])]),
  );
  expect(DOCS.filter((page) => !reached.has(page))).toEqual([]);
  const map = new Set(linksOf('docs/README.md'));
  const first = DOCS.filter((page) => page.split('/').length === 2 && page !== 'docs/README.md');
  expect(first.filter((page) => !map.has(page))).toEqual([]);
});

function existing(page: string): boolean {
  return existsSync(join(ROOT, page));
}

describe.each(PAGES)('%s', (page) => {
  test(`has no table cell with more than ${String(LONGEST_CELL)} characters`, () => {
    const long = proseOf(page).flatMap(([line, text]) =>
      text.startsWith('|')
        ? text
            .split(/(?<!\\)\|/)
            .map((cell) => cell.trim())
            .filter((cell) => cell.length > LONGEST_CELL)
            .map((cell) => `${page}:${String(line)}: ${cell}`)
        : [],
    );
    expect(long).toEqual([]);
  });

  test('links to headings that exist', () => {
    const links = proseOf(page).flatMap(([line, text]) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, target = '', anchor = '']) => ({
        line,
        target: target === '' ? page : normalize(join(page, '..', target)),
        anchor,
      })),
    );
    const broken = links.filter(
      ({ target, anchor }) => target.endsWith('.md') && !anchorsOf(target).has(anchor),
    );
    expect(broken.map(({ line, target, anchor }) => `${page}:${String(line)}: ${target}#${anchor}`)).toEqual(
      [],
    );
  });
});

/** Languages of code blocks that a reader types or sees as output. */
const SHELL = new Set(['', 'sh', 'text']);

/** Pages with a test that runs their blocks, or writes them. */
const OWN_TEST = new Set(['docs/cli.md', 'docs/emulator.md']);

test.each(['README.md', ...DOCS.filter((page) => !OWN_TEST.has(page))])(
  '%s: a test runs each block of commands and compares each output, or a comment above it says why not',
  (page) => {
    const lines = read(page).split('\n');
    const unproven = codeBlocks(read(page)).filter((block) => {
      const isMarked = lines
        .slice(0, block.line - 2)
        .findLast((line) => line.trim() !== '')
        ?.includes('<!-- not run: ');
      const isCompared = documentedCommands(block).some(({ output }) => output.length > 0);
      const isRun = programCommands(block).length > 0 && !isCompared;
      return SHELL.has(block.language) && isMarked !== true && !isRun;
    });
    expect(unproven.map(({ line, text }) => `${page}:${String(line)}: ${text.split('\n')[0] ?? ''}`)).toEqual(
      [],
    );
  },
);

const TEXT = DOCS.map(read).join('\n');
const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => read(join('src', file)))
  .join('\n');

/** Returns the names that no page of docs/ has as a word of code. A variable may stand outside code. */
function undocumented(names: readonly string[]): readonly string[] {
  expect(names.length).toBeGreaterThan(5);
  const code = [...TEXT.matchAll(/`[^`\n]+`|^```[^]*?^```|[A-Z]+_[A-Z_]+/gm)];
  const words = new Set(code.flatMap(([text]) => text.match(/[\w.-]+/g) ?? []));
  return names.filter((name) => !words.has(name));
}

function namesIn(pattern: RegExp): readonly string[] {
  return [...new Set([...SOURCES.matchAll(pattern)].map(([, name = '']) => name))];
}

describe('docs/ has every', () => {
  const program = createProgram(processContext(), [], { finish: () => {}, execute });
  const options = program.commands.flatMap((command) => command.options.map(({ long }) => long ?? ''));

  test.each<[string, readonly string[]]>([
    ['option', [...new Set(options)]],
    ['error of a manifest', ERROR_CODES],
    ['warning and notice', FINDING_CODES],
    ['guard', GUARD_NAMES],
    ['exit code', Object.values(EXIT).map(String)],
    ['event of the log', namesIn(/\bevent: '([a-z]+\.[a-z.-]+)'/g)],
    ['event of a notification', NOTICE_EVENTS],
    ['environment variable', namesIn(/['"`](FWDSYNC_[A-Z_]+)['"`]/g)],
  ])('%s', (_, names) => {
    expect(undocumented(names)).toEqual([]);
  });

  test('metric', async () => {
    const metrics = createMetrics({ version: '0', statuses: () => [], fleet: () => Promise.resolve(null) });
    const names = [...(await metrics.render()).matchAll(/^# TYPE (fwdsync_\w+)/gm)].map(
      ([, name = '']) => name,
    );
    expect(undocumented(names)).toEqual([]);
  });
});

test('docs/troubleshooting.md has messages that the program prints', () => {
  const rows = proseOf('docs/troubleshooting.md').flatMap(
    ([, line]) => /^\| `([^`]+)` \|/.exec(line)?.[1] ?? [],
  );
  expect(rows.length).toBeGreaterThan(25);
  const words = (message: string): readonly string[] => message.split('…').map((part) => part.trim());
  const unknown = rows.filter((row) => !words(row).every((part) => SOURCES.includes(part)));
  expect(unknown).toEqual([]);
});
