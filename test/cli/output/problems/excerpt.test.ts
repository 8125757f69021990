import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { processContext } from '../../../../src/cli/context.ts';
import { execute } from '../../../../src/cli/execute.ts';
import { createExcerpt } from '../../../../src/cli/output/problems/excerpt.ts';
import type { Problem } from '../../../../src/core/model/manifest/problem.ts';
import { commandScene } from '../../support/scene.ts';

function at(line: number, column: number, code = 'unknown-key'): Problem {
  return { severity: 'error', code, message: '', hint: '', source: { file: 'm.yaml', line, column } };
}

function excerptOf(text: string, problem: Problem, columns = 80, all = [problem]): readonly string[] {
  return createExcerpt([{ file: 'm.yaml', text }], all, columns)(problem);
}

describe('the line of a problem', () => {
  test.each([
    ['as it is', '  sales: bob', 10, ['      sales: bob', '             ^']],
    ['with tabs', '\ta:\tbob', 5, ['     a: bob', '        ^']],
    ['with wide characters', '日本: bob', 5, ['    日本: bob', '          ^']],
    ['with marks that take no column', 'e\u0301: bob', 5, ['    e\u0301: bob', '       ^']],
    ['with what cannot be seen', '\u202ea: b', 5, ['    <U+202E>a: b', '               ^']],
    ['at its end', 'a:', 3, ['    a:', '      ^']],
  ])('%s', (_, line, column, drawn) => {
    expect(excerptOf(`${line}\r\n`, at(1, column))).toEqual(drawn);
  });

  test('a long one is cut around the column', () => {
    const drawn = excerptOf(`${'a'.repeat(500)}X${'b'.repeat(500)}`, at(1, 501), 40);
    expect(drawn.map((line) => line.length)).toEqual([40, 23]);
    expect(drawn[0]?.[drawn[1]?.indexOf('^') ?? 0]).toBe('X');
  });

  test.each([
    ['a password that is written out', 'carol: { password: hunter22, x: 1 }', at(1, 30)],
    ['a block of text below it', 'password: |\n  hunter22\n', at(2, 3)],
    ['the address of a webhook', 'a: https://hooks.corp.example/T0/abc', at(1, 4)],
    ['a blank line', '   ', at(1, 1)],
    ['a line that is not there', 'a', at(9, 1)],
  ])('nothing of %s', (_, text, problem) => {
    expect(excerptOf(text, problem)).toEqual([]);
  });

  test('nothing of a file that holds a secret', () => {
    const secret = at(1, 1, 'secret-in-manifest');
    expect(excerptOf('a: b\nc: d\n', secret)).toEqual([]);
    expect(excerptOf('a: b\nc: d\n', at(2, 1), 80, [secret, at(2, 1)])).toEqual([]);
  });
});

test('elsewhere than on a terminal there is none', async () => {
  const scene = await commandScene({ manifest: 'domains:\n  acme.example: { alias: 3 }\n' });
  expect((await scene.run(['validate'])).stderr).not.toContain('^');
});

test.each([
  ['on a terminal it is below the message', [], true],
  ['under --mask there is none', ['--mask'], false],
])('%s', async (_, flags, isShown) => {
  const { directory } = await commandScene({ manifest: 'domains:\n  acme.example: { alias: 3 }\n' });
  for (const command of ['validate', 'plan']) {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 0 });
    const streams = { stdout: new PassThrough(), stderr };
    const context = { ...processContext(), ...streams, cwd: directory, env: { NO_COLOR: '1' } };
    expect(await execute(context, [command, ...flags])).toBe(5);
    const text = String(stderr.read());
    expect(text).toContain('[unknown-key]');
    expect(text.includes('\n      acme.example: { alias: 3 }\n                      ^\n')).toBe(isShown);
  }
});

test('on a terminal a message and its hint are broken between words, and nowhere else', async () => {
  const { directory } = await commandScene({
    manifest: 'domains:\n  acme.example: { alias: 3 }\n',
  });
  const said = async (terminal: object): Promise<string> => {
    const stderr = Object.assign(new PassThrough(), terminal);
    const streams = { stdout: new PassThrough(), stderr };
    const context = { ...processContext(), ...streams, cwd: directory, env: { NO_COLOR: '1' } };
    await execute(context, ['validate']);
    return String(stderr.read());
  };
  const narrow = await said({ isTTY: true, columns: 24 });
  const piped = await said({ columns: 24 });
  expect(narrow).toBe(
    [
      'fwdsync.yaml:3:19: error: the',
      '    key "alias" is not',
      '    known here',
      '    [unknown-key]',
      '    xample: { alias: 3 }',
      '              ^',
      '    try: did you mean',
      '         "aliases"?',
      '',
    ].join('\n'),
  );
  expect(piped).toBe(
    'fwdsync.yaml:3:19: error: the key "alias" is not known here [unknown-key]\n    try: did you mean "aliases"?\n',
  );
});
