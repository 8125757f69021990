import { describe, expect, test } from 'vitest';
import { acme, acmeOf, desiredOf, load, problemsOf } from './support/loading.ts';

const HOOKS = ['aliases:', '  a: http://b.example/1', '  c: http://b.example/2'];

describe('lint.off', () => {
  test.each([
    ['nothing', acme(...HOOKS), ['plain-http 5:10', 'plain-http 6:10']],
    ['a code, in the domain', acme('lint: { off: [plain-http] }', ...HOOKS), []],
    ['a code of one entry', acme('lint: { off: [plain-http C] }', ...HOOKS), ['plain-http 6:10']],
    [
      'a code of an entry that has no such finding',
      acme('lint: { off: [plain-http x] }', ...HOOKS),
      ['plain-http 6:10', 'plain-http 7:10'],
    ],
    ['in the document', acme(...HOOKS).replace('version: 1', 'version: 1\nlint: { off: [plain-http] }'), []],
    [
      'in `defaults`',
      acme(...HOOKS).replace('version: 1', 'version: 1\ndefaults: { lint: { off: [plain-http a] } }'),
      ['plain-http 7:10'],
    ],
    [
      'in the domain, in place of `defaults`',
      acme('lint: { off: [plain-http c] }', ...HOOKS).replace(
        'version: 1',
        'version: 1\ndefaults: { lint: { off: [plain-http] } }',
      ),
      ['plain-http 7:10'],
    ],
    [
      'a rule by its name',
      acme(
        'lint: { off: [anchoring the vip] }',
        'rules:',
        '  - { name: the vip, regex: a, scopes: [subject], forward: b@c.example }',
        '  - { name: two, regex: d, scopes: [subject], forward: b@c.example }',
      ),
      ['anchoring 7:29'],
    ],
  ])('silences %s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test('findings outside the domains are silenced only in the document', () => {
    const groups = (lint: string): string =>
      `version: 1\n${lint}\ndestinations: { x: http://b.example/1 }\ndomains: { acme.example: { aliases: { a: x } } }\n`;
    expect(problemsOf(groups('defaults: { lint: { off: [plain-http] } }'))).toEqual(['plain-http 3:20']);
    expect(problemsOf(groups('lint: { off: [plain-http] }'))).toEqual([]);
  });

  test('in another file of the same manifest', () => {
    const texts = {
      'a.yaml': 'version: 1\nlint: { off: [plain-http] }\ndomains: {}\n',
      'b.yaml': acme(...HOOKS),
    };
    expect(problemsOf(texts)).toEqual([]);
    expect(desiredOf(texts).lint).toEqual({ off: [{ code: 'plain-http', entry: null }], silenced: 2 });
  });

  test.each([
    ['a misspelt code', 'plain-htpp', 'did you mean "plain-http"?'],
    ['a misspelt code of an entry', 'plain-htpp a', 'did you mean "plain-http"?'],
    ['the code of an error', 'loop', 'fix what it reports'],
    [
      'the code of a guard',
      'max-deletes',
      'write CODE or "CODE ENTRY"; copy the code from the brackets after the finding',
    ],
  ])('%s is an error', (_, code, hint) => {
    const { problems, desired } = load(acme(`lint: { off: [${code}] }`));
    expect(desired).toBeNull();
    expect(problems.map((problem) => [problem.code, problem.source?.line, problem.hint])).toEqual([
      ['unknown-code', 4, hint],
    ]);
  });

  test('errors are always reported, even if silenced', () => {
    expect(
      problemsOf(acme('lint: { off: [plain-http] }', 'aliases: { a: [http://b.example/c, nobody] }')),
    ).toEqual(['unknown-destination 5:40']);
  });

  test('it changes nothing of what a manifest asks for', () => {
    const [plain, silenced] = [acme(...HOOKS), acme(...HOOKS, 'lint: { off: [plain-http] }')].map((text) =>
      desiredOf(text),
    );
    expect(silenced?.digest).toBe(plain?.digest);
    expect(silenced === undefined ? null : acmeOf(silenced).lint).toEqual([
      { code: 'plain-http', entry: null },
    ]);
  });
});
