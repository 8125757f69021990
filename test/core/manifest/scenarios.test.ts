import { describe, expect, test } from 'vitest';
import { acme, acmeOf, aliasesOf, desiredOf, load, problemsOf } from './support/loading.ts';
import { everyNth, runs } from '../../support/share.ts';

describe('scenario 1: no desired state', () => {
  test.each([
    ['an empty file', ''],
    ['a blank file', '  \n\n'],
    ['comments only', '# nothing\n'],
    ['a document start only', '---\n'],
    ['null', 'null\n'],
    ['a tilde', '~\n'],
    ['several empty documents', '---\n---\n# none\n'],
  ])('%s', (_, text) => {
    const { problems, desired } = load(text);
    expect(problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([
      'no-desired-state',
    ]);
    expect(desired).toBeNull();
  });

  test('one empty file among others', () => {
    expect(problemsOf({ 'a.yaml': acme('aliases: {}'), 'b.yaml': '' })).toEqual([
      'no-desired-state b.yaml:1:1',
    ]);
  });

  test('empty documents beside one that is not are passed over', () => {
    expect(problemsOf(`---\n# none\n---\n${acme('aliases: {}')}---\n`)).toEqual([]);
  });
});

describe('scenario 2: a cut file', () => {
  const whole = acme('aliases:', '  sales: a@x.example', '  info: b@x.example');

  test.each([
    ['inside a key', 'in', 'syntax 6:7'],
    ['after the colon', 'info:', 'null-value 6:12'],
  ])('%s', (_, upTo, problem) => {
    const cut = whole.slice(0, whole.indexOf('info') + upTo.length);
    expect(problemsOf(cut)).toContain(problem);
    expect(load(cut).desired).toBeNull();
  });

  test('between two entries: it parses, and the missing line break is a warning', () => {
    const cut = whole.slice(0, whole.indexOf('\n      info'));
    expect(problemsOf(cut)).toEqual(['no-final-newline 5:25']);
    expect(load(cut).desired).not.toBeNull();
  });
});

describe('scenario 3: conflict markers and tabs', () => {
  test('every marker is shown, and the file is not looked into', () => {
    const text = 'version: 1\n<<<<<<< HEAD\ndomains: {}\n=======\ndomains: {a: }\n>>>>>>> other\n';
    expect(problemsOf(text)).toEqual(['merge-conflict 2:1', 'merge-conflict 6:1']);
  });

  test('a tab as indentation', () => {
    expect(problemsOf('version: 1\ndomains:\n\tacme.example: {}\n')).toEqual(['tab-indent 3:1']);
  });
});

describe('scenario 5: the same thing twice', () => {
  test('duplicate keys: both places are shown', () => {
    expect(problemsOf(acme('aliases:', '  a: x@y.example', '  a: z@y.example'))).toEqual([
      'duplicate-key 6:7 <- 5:7',
    ]);
    expect(problemsOf('version: 1\ndomains: {}\nversion: 1\n')).toContain('duplicate-key 3:1 <- 1:1');
  });

  test('one domain in two files', () => {
    expect(problemsOf({ 'a.yaml': acme('aliases: {}'), 'b.yaml': acme('rules: []') })).toEqual([
      'duplicate-domain b.yaml:3:3 <- a.yaml:3:3',
    ]);
  });

  test('one domain in two spellings', () => {
    const text =
      'version: 1\ndomains:\n  münchen.example: {}\n  xn--mnchen-3ya.example: {}\n  ACME.example: {}\n  acme.example: {}\n';
    expect(problemsOf(text)).toEqual(['duplicate-domain 4:3 <- 3:3', 'duplicate-domain 6:3 <- 5:3']);
  });

  test.each([
    ['case', 'Sales', 'sales', ['duplicate-name 6:7 <- 5:7']],
    ['NFC and NFD', 'café', 'cafe\u0301', ['non-ascii-name 5:7', 'duplicate-name 6:7 <- 5:7']],
    ['a Cyrillic letter', 'sales', 's\u0430les', ['look-alike 6:7 <- 5:7', 'non-ascii-name 6:7']],
    [
      'two scripts the other way round',
      's\u0430les',
      'sales',
      ['non-ascii-name 5:7', 'look-alike 6:7 <- 5:7'],
    ],
    ['full-width letters', 'info', '\uff49nfo', ['look-alike 6:7 <- 5:7', 'non-ascii-name 6:7']],
  ])('names that differ in %s', (_, first, second, problems) => {
    const text = acme('aliases:', `  ${first}: a@x.example`, `  ${second}: b@x.example`);
    expect([...problemsOf(text)].sort()).toEqual([...problems].sort());
    expect(load(text).desired).toBeNull();
  });

  test('domains that look alike', () => {
    const text = 'version: 1\ndomains:\n  acme.example: {}\n  \u0430cme.example: {}\n';
    expect(problemsOf(text)).toEqual(['look-alike 4:3 <- 3:3']);
  });

  test('shared sections stated in two files', () => {
    const a =
      'version: 1\napi: { account: a@b.example }\ndestinations: { x: a@b.example }\ndomains: { a.example: {} }\n';
    const b = 'version: 1\napi: {}\ndestinations: { x: c@b.example, y: c@b.example }\n';
    expect(problemsOf({ 'a.yaml': a, 'b.yaml': b })).toEqual([
      'unused-destination a.yaml:3:17',
      'duplicate-definition b.yaml:2:1 <- a.yaml:2:1',
      'duplicate-definition b.yaml:3:17 <- a.yaml:3:17',
      'unused-destination b.yaml:3:33',
    ]);
  });
});

describe('scenario 6: names that JavaScript knows', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

  test('as alias, group and template they are plain data', () => {
    const text = [
      'version: 1',
      'destinations:',
      ...NAMES.map((name) => `  ${name}: ${name}@x.example`),
      'templates:',
      ...NAMES.map((name) => `  ${name}: { aliases: { t-${name}: ${name} } }`),
      'domains:',
      '  acme.example:',
      `    use: [${NAMES.join(', ')}]`,
      '    aliases:',
      ...NAMES.map((name) => `      ${name}: ${name}`),
      '',
    ].join('\n');
    const aliases = aliasesOf(text);
    for (const name of NAMES) {
      expect(Object.entries(aliases)).toContainEqual([name, `${name}@x.example`]);
      expect(aliases[`t-${name}`]).toBe(`${name}@x.example`);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each(NAMES)('%s as a domain or a key is a clear error', (name) => {
    expect(problemsOf(`version: 1\ndomains:\n  ${name}: {}\n`)).toEqual(['invalid-domain 3:3']);
    expect(problemsOf(`version: 1\n${name}: { polluted: x }\ndomains: { a.example: {} }\n`)).toEqual([
      'unknown-key 2:1',
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('a destination that is not defined is not found on a prototype', () => {
    expect(problemsOf(acme('aliases: { a: constructor }'))).toEqual(['unknown-destination 4:19']);
  });
});

describe('scenario 7: sizes', () => {
  test('100,000 levels of nesting, in every style', () => {
    for (const opening of everyNth(5, ['[', '{a: ', '- ', '? ', '- ? - '])) {
      const text = opening.repeat(100_000);
      const { problems } = load(text);
      expect(problems.map(({ code }) => code)).toContain('nesting-too-deep');
    }
    let blocks = '';
    for (let level = 0; level < 40; level += 1) blocks += `${' '.repeat(level)}a:\n`;
    expect(problemsOf(`${blocks}${' '.repeat(40)}b: c\n`)).toEqual(['nesting-too-deep 33:33']);
  });

  test('32 levels are read, 33 are not', () => {
    const nested = (levels: number): string =>
      `version: 1\ndomains: ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}\n`;
    expect(problemsOf(nested(32))).toEqual(['wrong-type 2:10']);
    expect(problemsOf(nested(33))).toEqual(['nesting-too-deep 2:41']);
  });

  test('an alias bomb', () => {
    const lines = ['x0: &x0 [a, a, a, a, a, a, a, a, a, a]'];
    for (let level = 1; level < 9; level += 1) {
      lines.push(`x${level}: &x${level} [${`*x${level - 1}, `.repeat(10)}]`);
    }
    const { problems } = load(`${lines.join('\n')}\n`);
    expect(problems.map(({ code }) => code)).toEqual(['too-many-aliases']);
  });

  test('aliases that chain into depth', () => {
    const lines = ['x0: &x0 a'];
    for (let level = 1; level < 5000; level += 1) lines.push(`x${level}: &x${level} [*x${level - 1}]`);
    expect(load(`${lines.join('\n')}\n`).problems.map(({ code }) => code)).toEqual(['too-many-aliases']);
  });

  test('a file of 100 MB is refused before it is parsed', () => {
    expect(problemsOf(new Uint8Array(100_000_000).fill(0x20))).toEqual(['file-too-large 1:1']);
  });

  test('a scalar of 5 MB', () => {
    const long = 'a'.repeat(5_000_000);
    expect(problemsOf(acme('aliases:', `  x: ${long}`, `  y: ${long}@x.example`))).toEqual([
      'unknown-destination 5:10',
      'invalid-destination 6:10',
    ]);
    expect(problemsOf(acme(`aliases: { ? ${long} : a@x.example }`))).toEqual(['invalid-name 4:18']);
    const { problems } = load(acme(`rules: [{ name: x, expression: ${long}, forward: a@x.example }]`));
    expect(problems.map(({ code }) => code)).toEqual(['invalid-expression']);
    expect(problems.every(({ message }) => message.length < 1000)).toBe(true);
  });

  const KEYS = runs(50_000, 10_000);

  test(`a map of ${KEYS} keys, twice the same at the end`, () => {
    const lines = Array.from({ length: KEYS }, (_, index) => `  user${index}: person${index}@x.example`);
    const { problems, counts } = load(acme('aliases:', ...lines, '  user7: z@x.example'));
    expect(problems.map(({ code, source, related }) => [code, source?.line, related?.line])).toEqual([
      ['duplicate-key', KEYS + 5, 12],
    ]);
    expect(counts.aliases).toBe(KEYS);
  });
});

describe('scenario 8: names as written', () => {
  test.each([
    'no',
    '007',
    '1e3',
    '0x10',
    '2026-01-01',
    'true',
    'null',
    '~',
    '.inf',
    '0o7',
    '1_000',
    'y',
    '-0',
  ])('%s', (name) => {
    expect(aliasesOf(acme('aliases:', `  ${name}: a@x.example`))).toEqual({ [name]: 'a@x.example' });
  });

  test('as names of groups, templates, rules and in lists', () => {
    const text = [
      'version: 1',
      'destinations: { 007: a@x.example }',
      'templates: { no: { aliases: { b: 007 } } }',
      'domains:',
      '  acme.example:',
      '    use: [no]',
      '    ignore: { aliases: [1e3] }',
      '    rules: [{ name: 0x10, alias: 007, forward: 007 }]',
      '',
    ].join('\n');
    const domain = acmeOf(desiredOf(text));
    expect(domain.aliases?.ignore).toEqual(['1e3']);
    expect(domain.rules?.entries[0]).toMatchObject({
      name: '0x10',
      match: { type: 'alias', alias: '007' },
      forward: ['a@x.example'],
    });
  });

  test('the unquoted asterisk is explained', () => {
    for (const text of [
      acme('aliases:', '  *: a@x.example'),
      acme('aliases: { *: a@x.example }'),
      acme('ignore: { aliases: [*] }'),
    ]) {
      const { problems } = load(text);
      expect(problems.map(({ code, hint }) => [code, hint])).toEqual([['unquoted-star', 'write "*"']]);
    }
    expect(problemsOf(acme('aliases:', '  *: a@x.example'))).toEqual(['unquoted-star 5:7']);
  });
});

describe('scenario 9: a value left blank', () => {
  test.each([
    ['of an alias', acme('aliases:', '  a:', '  b: x@y.example'), 'null-value 5:9', 'discard'],
    ['an alias, as null', acme('aliases: { a: null }'), 'null-value 4:19', 'discard'],
    [
      'forward of a rule',
      acme('rules:', '  - name: r', '    alias: a', '    forward:'),
      'null-value 7:17',
      'discard',
    ],
    ['an entry of a list', acme('aliases: { a: [x@y.example, ~] }'), 'null-value 4:33', 'value'],
    ['a section', acme('aliases:'), 'null-value 4:13', 'aliases: {}'],
    ['the rules', acme('rules:'), 'null-value 4:11', 'rules: []'],
    ['a domain', 'version: 1\ndomains:\n  acme.example:\n', 'null-value 3:16', '{}'],
    ['a setting', acme('whitelabel: null'), 'null-value 4:17', 'whitelabel: none'],
    ['all domains', 'version: 1\ndomains:\n', 'null-value 2:9', 'domains: {}'],
  ])('%s', (_, text, problem, hint) => {
    const { problems, desired } = load(text);
    expect(problemsOf(text)).toContain(problem);
    expect(problems.find(({ code }) => code === 'null-value')?.hint).toContain(hint);
    expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(1);
    expect(desired).toBeNull();
  });

  test('the word null in quotes is no destination either', () => {
    const { problems } = load(acme('aliases: { a: "null" }'));
    expect(problems.map(({ code, hint }) => [code, hint])).toEqual([
      ['unknown-destination', 'write `discard` to accept the mail and drop it'],
    ]);
  });
});

describe('scenario 10: names that would change a path', () => {
  test.each([
    '../..',
    '.',
    '"%2e%2e"',
    'a/b',
    'x?all=true',
    'a#b',
    '""',
    'a@b',
    'a,b',
    'a b',
    `"a\\nb"`,
    'a'.repeat(151),
  ])('%s', (name) => {
    for (const section of ['aliases', 'credentials']) {
      const value = section === 'aliases' ? 'a@x.example' : '{}';
      const { problems, desired } = load(acme(`${section}:`, `  ${name}: ${value}`));
      expect(problems.map(({ code }) => code)).toEqual([
        name === 'a b' || name.includes('\\n') ? 'invalid-character' : 'invalid-name',
      ]);
      expect(desired).toBeNull();
    }
  });

  test('a ? is fine in a regular expression, and an alias only', () => {
    expect(aliasesOf(acme('aliases:', '  (colou?r): a@x.example'))).toEqual({ '(colou?r)': 'a@x.example' });
    expect(problemsOf(acme('credentials:', '  (colou?r): {}'))).toEqual(['invalid-name 5:7']);
  });
});

describe('scenario 11: characters that cannot be seen', () => {
  test.each([
    ['NUL', '\0', 'U+0000'],
    ['a lone CR', 'a\rb', 'U+000D'],
    ['zero width space', '\u200b', 'U+200B'],
    ['right-to-left override', '\u202e', 'U+202E'],
    ['isolate', '\u2066', 'U+2066'],
    ['next line', '\u0085', 'U+0085'],
    ['line separator', '\u2028', 'U+2028'],
    ['a byte order mark in the middle', '\ufeff', 'U+FEFF'],
  ])('%s in the text', (_, character, code) => {
    const { problems } = load(acme('aliases:', `  sa${character}les: a@x.example # comment`));
    expect(problems.map(({ code, source }) => [code, source?.line])).toEqual([['forbidden-character', 5]]);
    expect(problems[0]?.message).toContain(code);
    expect(problems[0]?.message).not.toContain(character);
  });

  test('in a comment as well', () => {
    expect(problemsOf(`# \u202e\n${acme('aliases: {}')}`)).toEqual(['forbidden-character 1:3']);
  });

  test.each([
    ['in a name', 'aliases: { "a\\u202Eb": x@y.example }', 'invalid-character'],
    ['in a destination', 'aliases: { a: "x\\u200B@y.example" }', 'invalid-character'],
    ['in a line break', 'aliases: { "a\\nb": x@y.example }', 'invalid-character'],
    [
      'in a pattern',
      'rules: [{ name: r, regex: ".*\\u202E.*", scopes: [subject], forward: a@x.example }]',
      'forbidden-character',
    ],
  ])('by an escape %s', (_, line, code) => {
    const { problems, desired } = load(acme(line));
    expect(problems.map(({ code }) => code)).toContain(code);
    expect(problems.every(({ message }) => !/[\u200b\u202e\n]/.test(message))).toBe(true);
    expect(desired).toBeNull();
  });
});

describe('scenario 14: references that are not set', () => {
  const text = [
    'version: 1',
    'destinations:',
    '  boss: { env: BOSS }',
    'domains:',
    '  acme.example:',
    '    aliases: { a: boss, b: [boss, x@y.example], c: { file: secret } }',
    '    credentials: { carol: { password: { env: PASSWORD } } }',
    '',
  ].join('\n');

  test('a check says so as a warning, once, where it is written', () => {
    expect(problemsOf(text)).toEqual([
      'reference-not-set 3:9',
      'reference-not-set 6:52',
      'reference-not-set 7:39',
    ]);
    expect(aliasesOf(text)['a']).toBe('{ env: BOSS }');
  });

  test('plan and apply stop; passwords are not theirs to resolve', () => {
    expect(problemsOf(text, { references: 'required' })).toEqual([
      'destination-not-set 3:9',
      'destination-not-set 6:52',
    ]);
  });

  test('one that no entry needs stops nothing', () => {
    const manifest = 'destinations: { boss: { env: BOSS } }\n' + acme('aliases: { a: a@corp.example }');
    for (const references of ['required', 'optional'] as const) {
      const { problems, desired } = load(manifest, { references });
      expect(problems.map(({ code }) => code)).toEqual(['unused-destination', 'reference-not-set']);
      expect(desired).not.toBeNull();
    }
  });

  test('a file is relative to the manifest; empty counts as not set', () => {
    const options = { references: 'required', cwd: '/work' } as const;
    const aliases = (value: string): string | undefined =>
      aliasesOf(
        { 'conf/m.yaml': acme('aliases: { a: { file: ../secret } }') },
        { ...options, env: { '/work/secret': value } },
      )['a'];
    expect(aliases('x@y.example')).toBe('x@y.example');
    expect(aliases('x@y.example, z@Y.example')).toBe('x@y.example,z@y.example');
    expect(() => aliases('')).toThrow('destination-not-set');
  });

  test('the value is in no problem', () => {
    const env = { BOSS: 'not an address s3cret', PASSWORD: 's3cret' };
    const { problems } = load(text, { references: 'required', env });
    expect(problems.map(({ code }) => code)).toEqual(['invalid-destination', 'destination-not-set']);
    expect(JSON.stringify(problems)).not.toContain('s3cret');
  });
});
