import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

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
