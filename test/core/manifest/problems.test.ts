import { describe, expect, test } from 'vitest';
import { acme, errorsOf, load, problemsOf } from './support/loading.ts';
import { runs } from '../../support/share.ts';

/** Problems without those about destinations on the same domain. */
function loopsOf(text: string): readonly string[] {
  return problemsOf(text).filter((problem) => problem.includes('loop'));
}

/** A whole document with one domain and something above it. */
function above(...lines: readonly string[]): string {
  return ['version: 1', ...lines, 'domains: { acme.example: {} }', ''].join('\n');
}

describe('the shape of a document', () => {
  test.each([
    ['no version', 'domains: {}\n', ['missing-version 1:1']],
    ['another version, alone', 'version: 2\nanything: [\n goes ]\n', ['unsupported-version 1:10']],
    ['a version that is text', 'version: "1"\ndomains: { a.example: {} }\n', ['wrong-type 1:10']],
    ['a list', '- a\n', ['wrong-type 1:1']],
    ['a text', 'hello\n', ['wrong-type 1:1']],
    ['an unknown key', above('domain: {}'), ['unknown-key 2:1']],
    ['an unknown key of a domain', acme('alias: {}'), ['unknown-key 4:5']],
    [
      'an unknown key of a rule',
      acme('rules: [{ name: a, alias: b, forwards: c@d.example }]'),
      ['missing-key 4:13', 'unknown-key 4:34'],
    ],
    ['an unknown kind to prune', acme('prune: { alias: true }'), ['unknown-key 4:14']],
    ['text for a truth value', acme('verify: yes'), ['wrong-type 4:13']],
    ['a map for a list', acme('rules: {}'), ['wrong-type 4:12']],
    ['a list for a map', acme('aliases: []'), ['wrong-type 4:14']],
    ['an empty list of destinations', acme('aliases: { a: [] }'), ['empty-list 4:19']],
    ['an empty destination', acme('aliases: { a: "" }'), ['empty-value 4:19']],
    ['an empty map as destination', acme('aliases: { a: {} }'), ['empty-value 4:19']],
    ['another state', acme('aliases: { a: { state: present } }'), ['invalid-value 4:28']],
    ['two keys in a reference', acme('aliases: { a: { env: X, file: y } }'), ['one-key-only 4:19']],
    ['a number out of range', above('guards: { max_delete_percent: 101 }'), ['invalid-value 2:31']],
    [
      'a scope that is not known',
      acme('rules: [{ name: a, regex: .*b.*, scopes: [to], forward: c@d.example }]'),
      ['invalid-value 4:47'],
    ],
    ['two documents', `${acme('aliases: {}')}---\ndomains: {}\n`, ['missing-version 6:1']],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test('an unknown key names the known one', () => {
    const hintOf = (text: string): string | undefined => load(text).problems[0]?.hint;
    expect(hintOf(acme('aliaes: {}'))).toBe('did you mean "aliases"?');
    expect(hintOf(acme('notificaton_email: none'))).toBe('did you mean "notification_email"?');
    expect(hintOf(acme('alias: {}'))).toBe('did you mean "aliases"?');
    expect(hintOf(acme('zzz: 1'))).toMatch(/^known here: state, notification_email, /);
    expect(hintOf(acme('rules: [{ name: a, exprssion: b, forward: discard }]'))).toMatch(
      /did you mean|add the key for the mail/,
    );
  });

  const domain = 'version: 1\ndomains:\n  acme.example:\n';
  const SPACE = 'write a space after the colon: `name: value`';
  test.each([
    ['no space after the only colon', `${domain}    aliases:\n      sales:dan@x.example\n`, SPACE],
    ['no space, on one line', `${domain}    aliases: sales:dan@x.example\n`, SPACE],
    [
      'no space, above another entry',
      `${domain}    aliases:\n      sales:dan@x.example\n      a: b@x.example\n`,
      SPACE,
    ],
    [
      'no space, below another entry',
      `${domain}    aliases:\n      a: b@x.example\n      sales:dan@x.example\n`,
      SPACE,
    ],
    [
      'a domain beside `domains`',
      'version: 1\ndomains:\nacme.example:\n  aliases: {}\n',
      'if it belongs to "domains" above, indent it: two spaces more than "domains"',
    ],
    [
      'aliases beside the domain',
      `${domain}  aliases:\n    a: b@x.example\n`,
      'indent it: it belongs below the name of a domain',
    ],
    [
      'an alias beside `aliases`',
      `${domain}    aliases:\n    a: b@x.example\n`,
      'if it belongs to "aliases" above, indent it: two spaces more than "aliases"',
    ],
    [
      'an alias a column to the left',
      `${domain}    aliases:\n      a: b@x.example\n     c: d@x.example\n`,
      'start this line at the same column as the entries it belongs to; indent with spaces',
    ],
  ])('the hint for %s', (_, text, hint) => {
    expect(load(text).problems.map((problem) => problem.hint)).toContain(hint);
  });

  test('many keys that are not known, below one without a value', () => {
    const keys = Array.from({ length: runs(20_000, 5_000) }, (_, index) => `    k${index}: 1`).join('\n');
    expect(load(`${domain}    aliases:\n${keys}\n`).desired).toBeNull();
  });

  test('many mistakes come in one go, in order of position', () => {
    const text = acme(
      'aliases:',
      '  a: nobody',
      '  b/c: x@y.example',
      '  c:',
      'prune: maybe',
      'rules:',
      '  - name: r',
    );
    expect(problemsOf(text)).toEqual([
      'unknown-destination 5:10',
      'invalid-name 6:7',
      'null-value 7:9',
      'wrong-type 8:12',
      'rule-type 10:9',
      'missing-key 10:9',
    ]);
  });
});

describe('YAML that is not ours', () => {
  test.each([
    ['a tag', acme('aliases: { a: !!str b@c.example }'), ['unsupported-yaml 4:25']],
    ['a directive', '%YAML 1.2\n---\nversion: 1\ndomains: { a.example: {} }\n', ['unsupported-yaml 1:1']],
    ['a merge key', acme('aliases:', '  a: &a b@c.example', '  <<: *a'), ['merge-key 6:7']],
    ['an alias that is not defined', acme('aliases: { a: *b }'), ['unknown-anchor 4:19']],
    ['an alias within its own anchor', acme('aliases: { a: &a [*a] }'), ['unknown-anchor 4:23']],
    ['a list as a key', acme('aliases:', '  ? [a]', '  : b@c.example'), ['syntax 5:9']],
    ['a pattern without quotes', acme('aliases:', '  {a|b}: b@c.example'), ['syntax 5:7']],
    ['a bracket that is not closed', acme('aliases: { a: b@c.example', 'rules: []'), ['syntax 4:12']],
    ['a value that begins with @', acme('aliases: { a: @b }'), ['syntax 4:19']],
    ['a colon in a value', acme('aliases:', '  a: b: c'), ['syntax 5:10']],
  ])('%s', (_, text, problems) => {
    const found = problemsOf(text);
    if (problems[0]?.startsWith('syntax'))
      expect(found.map((problem) => problem.split(' ')[0])).toEqual(['syntax']);
    else expect(found).toEqual(problems);
  });

  test('one broken document does not spoil what is said of the others', () => {
    const broken = 'version: 1\ndestinations: { oncall: [a@b.example }\n';
    const other = acme('aliases: { a: oncall, b/c: d@e.example }');
    expect(problemsOf({ 'a.yaml': broken, 'b.yaml': other })).toEqual([
      'syntax a.yaml:2:25',
      'invalid-name b.yaml:4:27',
    ]);
  });

  test('anchors and aliases are values like others, at the place of the anchor', () => {
    const text = acme('aliases:', '  a: &list [x@y.example, nobody]', '  b: *list', '  c: *list');
    expect(problemsOf(text)).toEqual(['unknown-destination 5:30']);
  });
});

describe('encodings', () => {
  const text = acme('aliases: { münchen: a@b.example }');

  test('UTF-8, with or without a byte order mark, with either line break', () => {
    for (const bytes of [
      text,
      `\ufeff${text}`,
      text.replaceAll('\n', '\r\n'),
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`),
    ]) {
      expect(problemsOf(bytes)).toEqual(['non-ascii-name 4:16']);
    }
  });

  test.each([
    ['UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le'), 'invalid-encoding 1:1'],
    ['UTF-16 without one', Buffer.from(text, 'utf16le'), 'invalid-encoding 1:1'],
    ['Latin 1', Buffer.from(text, 'latin1'), 'invalid-encoding 4:17'],
    ['a cut character', Buffer.from(text).subarray(0, text.indexOf('ü') + 1), 'invalid-encoding 4:17'],
  ])('%s is refused', (_, bytes, problem) => {
    expect(problemsOf(bytes)).toEqual([problem]);
  });
});

describe('scenario 13: destinations', () => {
  test.each([
    ['an unknown name', 'aliases: { a: nobody }', ['unknown-destination 4:19']],
    ['a comma in an address', 'aliases: { a: "b@c.example,d@e.example" }', ['comma-in-destination 4:19']],
    ['a comma in a name', 'aliases: { a: "b,c" }', ['comma-in-destination 4:19']],
    ['an address without a domain', 'aliases: { a: b@ }', ['invalid-address 4:19']],
    ['an address with two @', 'aliases: { a: b@c@d.example }', ['invalid-address 4:19']],
    ['an address at an IP', 'aliases: { a: "b@127.0.0.1" }', ['invalid-address 4:19']],
    ['discard beside another', 'aliases: { a: [discard, b@c.example] }', ['discard-not-alone 4:19']],
    ['discard twice', 'aliases: { a: [discard, discard] }', []],
    ['a scheme that is no webhook', 'aliases: { a: ftp://b.example/c }', ['invalid-webhook 4:19']],
    [
      'a webhook with user information',
      'aliases: { a: https://u:p@b.example/c }',
      ['webhook-credentials 4:19'],
    ],
    ['a plain webhook', 'aliases: { a: http://b.example/c }', ['plain-http 4:19']],
    [
      'a webhook on a private network',
      'aliases: { a: https://10.1.2.3/c, b: "https://[fd00::1]/", c: https://localhost/x }',
      ['private-webhook 4:19', 'private-webhook 4:42', 'private-webhook 4:67'],
    ],
    [
      'a capture without its group',
      'aliases: { "(a)b": $1@c.example, "(a)c": $2@c.example, d: $1@c.example }',
      ['capture-without-group 4:46', 'capture-without-group 4:63'],
    ],
  ])('%s', (_, line, problems) => {
    expect(problemsOf(acme(line))).toEqual(problems);
  });

  test('groups: nested, cyclic, unknown, badly named; each said once', () => {
    const groups = above(
      'destinations:',
      '  a: [b, x@y.example]',
      '  b: [c]',
      '  c: a',
      '  d: nobody',
      '  e: [d, d]',
      '  discard: x@y.example',
      '  "f@g": x@y.example',
      '  self: self',
    );
    expect(problemsOf(groups)).toEqual([
      'destination-cycle 5:6',
      'unknown-destination 6:6',
      'invalid-name 8:3',
      'invalid-name 9:3',
      'destination-cycle 10:9',
    ]);
  });

  test('a name that is nearly right', () => {
    const text = `version: 1\ndestinations: { oncall: a@b.example }\ndomains: { c.example: { aliases: { d: onclal } } }\n`;
    expect(load(text).problems[0]?.hint).toBe('did you mean "oncall"?');
  });

  test.each([
    ['to itself', ['a: a@acme.example'], 'loop 5:7'],
    ['through another alias', ['a: b@acme.example', 'b: [x@y.example, A@ACME.example]'], 'loop 5:7'],
    ['through plus addressing', ['a: a+x@acme.example'], 'possible-loop 5:7'],
    ['through a catch-all', ['"*": b@acme.example'], 'possible-loop 5:7'],
    ['through a pattern', ['(b|c): c@acme.example'], 'possible-loop 5:7'],
  ])('a loop %s', (_, aliases, problem) => {
    expect(loopsOf(acme('aliases:', ...aliases.map((line) => `  ${line}`)))).toEqual([problem]);
  });

  test('a loop is certain where the manifest names all aliases there will be', () => {
    const lines = ['aliases:', '  "*": b@acme.example', 'prune: true'];
    expect(loopsOf(acme(...lines))).toEqual(['loop 5:7']);
    expect(loopsOf(acme(...lines, 'ignore: { aliases: [b] }'))).toEqual(['possible-loop 5:7']);
  });

  test('a loop over two domains, a chain without one, and a rule', () => {
    const two = (b: string): string =>
      `version: 1\ndomains:\n  a.example:\n    aliases: { x: y@b.example }\n  b.example:\n    aliases: { y: ${b} }\n`;
    expect(problemsOf(two('x@a.example'))).toEqual(['loop 4:16']);
    expect(problemsOf(two('z@a.example'))).toEqual([]);
    const rule = acme('rules:', '  - { name: r, alias: a, forward: a@acme.example }');
    expect(loopsOf(rule)).toEqual(['possible-loop 5:9']);
  });

  const COUNT = runs(50_000, 20_000);

  test(`${COUNT} aliases that point at each other are followed in linear time`, () => {
    const lines = Array.from(
      { length: COUNT },
      (_, index) => `  a${index}: a${(index + 1) % COUNT}@acme.example`,
    );
    expect(errorsOf(acme('aliases:', ...lines))).toEqual(['loop 5:7']);
  });
});

describe('scenario 12: patterns and expressions', () => {
  const regex = (pattern: string): string =>
    acme(`rules: [{ name: r, scopes: [subject], forward: a@b.example, regex: '${pattern}' }]`);
  const cel = (expression: string): string =>
    acme('rules:', '  - name: r', '    forward: a@b.example', `    expression: ${expression}`);

  test.each([
    ['that does not close', '.*(a', 'the pattern does not compile: missing closing )', 72],
    ['with look-ahead', '.*(?=a).*', 'column 3 of the pattern: look-around', 75],
    ['with negative look-behind', '.*(?<!a).*', 'column 3 of the pattern: look-around', 75],
    ['with a back-reference', '.*(a)\\1.*', 'column 6 of the pattern: back-references', 78],
    ['with too many repeats', '.*a{100000}.*', 'column 4 of the pattern: the pattern does not compile', 76],
    [
      'with the same mistake twice',
      '.*a**b**',
      'the pattern does not compile: invalid nested repetition',
      72,
    ],
    ['that is very long', 'a'.repeat(10_001), 'the pattern is longer than', 72],
  ])('a regex %s', (_, pattern, reason, column) => {
    const { problems } = load(regex(pattern));
    expect(problems.map(({ code, source }) => `${code} ${source?.line}:${source?.column}`)).toEqual([
      `invalid-regex 4:${column}`,
    ]);
    expect(problems[0]?.message.startsWith(reason)).toBe(true);
  });

  test('in names of aliases and alias rules', () => {
    expect(problemsOf(acme('aliases: { "(a": b@c.example }'))).toEqual(['invalid-regex 4:16']);
    expect(problemsOf(acme('rules: [{ name: r, alias: "[a", forward: b@c.example }]'))).toEqual([
      'invalid-regex 4:31',
    ]);
  });

  test('a catastrophic one is taken, in linear time', () => {
    const lines = ['rules:', "  - { name: r, regex: '^(.*a+)+$', scopes: [subject], forward: a@b.example }"];
    lines.push('expect:', `  - { to: x@acme.example, subject: "${'a'.repeat(50_000)}b", forward: refused }`);
    expect(problemsOf(acme(...lines))).toEqual([]);
  });

  test('a pattern whose anchoring matters', () => {
    expect(problemsOf(regex('invoice'))).toEqual(['anchoring 4:72']);
    for (const either of ['^invoice', 'invoice.*', '.*(a|b)', '^a|b$', '^a\\$'])
      expect(problemsOf(regex(either)), either).toEqual(['anchoring 4:72']);
    for (const clear of ['.*invoice.*', '^invoice$', '^(a|b)$', '(^a$|.*b.*)', '(?i)^[|(]$', '^a$|^b$'])
      expect(problemsOf(regex(clear))).toEqual([]);
  });

  test.each([
    [
      'an unknown variable',
      'subject == "a" || foo == "b"',
      'column 19 of the expression: Unknown variable: foo',
      '7:39',
    ],
    ['text that does not parse', 'subject.contains(', 'column 18 of the expression', '7:38'],
    ['a wrong type', 'subject + 1 == 2', 'column 1 of the expression: no such overload', '7:21'],
    ['an unknown function', 'subject.nope("a")', 'column 1 of the expression: found no matching', '7:21'],
    ['a result that is not bool', 'subject', 'gives string, not bool', '7:21'],
    [
      'a pattern inside that does not compile',
      'subject.matches("(?=a)")',
      'column 17 of the expression: look-around',
      '7:37',
    ],
    ['a macro in a macro', 'true && [1].all(x, [1].all(y, x == y))', 'macro', '7:40'],
    ['too many brackets', `${'('.repeat(500)}true${')'.repeat(500)}`, 'expression', '7:81'],
  ])('an expression with %s', (_, expression, message, place) => {
    const { problems } = load(cel(expression));
    expect(problems.map(({ code }) => code)).toEqual(['invalid-expression']);
    expect(problems[0]?.message).toContain(message);
    expect(`${problems[0]?.source?.line}:${problems[0]?.source?.column}`).toBe(place);
  });

  test('the column is found in quotes and in a block as well', () => {
    expect(problemsOf(cel('"foo"'))).toEqual(['invalid-expression 7:22']);
    expect(load(cel('\'subject == "a" && foo\'')).problems[0]?.source?.column).toBe(21 + 1 + 18);
    const { problems } = load(cel('|\n          subject == "a" &&\n          foo'));
    expect(problems[0]?.message).toContain('column 1 of line 2 of the expression: Unknown variable');
  });
});

describe('expect where several entries may take the mail', () => {
  const expecting = (to: string, forward: string, ...aliases: readonly string[]) =>
    load(
      acme(
        'aliases:',
        ...aliases.map((line) => `  ${line}`),
        `expect: [{ to: ${to}@acme.example, forward: ${forward} }]`,
      ),
    )
      .problems.filter(({ code }) => code.startsWith('expect'))
      .map(({ code, message }) => `${code}: ${message}`);
  const PATTERNS = ['(sales|info): a@x.example', '(info|hr): b@x.example'] as const;

  test.each([
    [
      'a@x.example',
      'expect-ambiguous: the destination of mail to "info@acme.example" is not known: alias "(sales|info)" sends it to a@x.example, or alias "(info|hr)" sends it to b@x.example',
    ],
    [
      'b@x.example',
      'expect-ambiguous: the destination of mail to "info@acme.example" is not known: alias "(sales|info)" sends it to a@x.example, or alias "(info|hr)" sends it to b@x.example',
    ],
    [
      'c@x.example',
      'expect-failed: mail to "info@acme.example" is expected to go to c@x.example, but alias "(sales|info)" sends it to a@x.example',
    ],
  ])('patterns whose order is not known, expected at %s', (forward, expected) => {
    expect(expecting('info', forward, ...PATTERNS)).toEqual([expected]);
    expect(expecting('info', forward, ...PATTERNS.toReversed())[0]).toContain(expected.split(':')[0]);
  });

  test('one pattern alone, and an alias by name, are certain', () => {
    expect(expecting('sales', 'a@x.example', ...PATTERNS)).toEqual([]);
    expect(expecting('info', 'c@x.example', 'info: c@x.example', ...PATTERNS)).toEqual([]);
  });

  test('a name that may be a pattern', () => {
    const lines = ['sup*: a@x.example', '"*": b@x.example'];
    expect(expecting('support', 'b@x.example', ...lines)).toEqual([
      expect.stringMatching(
        /^expect-ambiguous: .* alias "\*" sends it to b@x\.example, or alias "sup\*" sends it to a@x/,
      ),
    ]);
  });
});

describe('an error hides no other', () => {
  const codes = (...lines: readonly string[]) =>
    errorsOf(acme(...lines)).map((problem) => problem.split(' ')[0]);
  const BROKEN = '  bad: "x@@y"';
  const ROLES = ['  postmaster: a@x.example', '  abuse: a@x.example'] as const;
  const LOOP = ['aliases:', '  a: b@acme.example', '  b: a@acme.example', ...ROLES] as const;

  test('neither a loop in the same domain nor an expectation', () => {
    expect(codes(...LOOP, BROKEN, 'expect: [{ to: a@acme.example, forward: c@x.example }]')).toEqual([
      'loop',
      'invalid-address',
      'expect-failed',
    ]);
  });

  test('nor a loop through another domain', () => {
    const text = `version: 1
domains:
  acme.example:
    aliases: { a: b@beta.example, bad: "x@@y" }
  beta.example:
    aliases: { b: a@acme.example }
`;
    const found = problemsOf(text).map((problem) => problem.split(' ')[0]);
    expect(found).toEqual(['loop', 'invalid-address']);
  });

  test.each([
    ['what takes the mail may be left out: a name', ['aliases:', '  "*": a@acme.example', '  a: "x@@y"']],
    [
      'what takes the mail may be left out: a rule',
      [...LOOP, 'rules: [{ name: r, alias: a, forward: "x@@y" }]'],
    ],
  ])('nothing is said that another entry could change: %s', (_, lines) => {
    const found = codes(...lines, 'expect: [{ to: c@acme.example, forward: c@x.example }]');
    expect(found).toContain('invalid-address');
    expect(
      found.filter((code) => code === 'loop' || code === 'possible-loop' || code === 'expect-failed'),
    ).toEqual([]);
  });

  test('a file that cannot be read hides neither loops nor expectations of the others', () => {
    const lines = [...LOOP, 'expect: [{ to: a@acme.example, forward: c@x.example }]'];
    const found = problemsOf({ 'a.yaml': acme(...lines), 'b.yaml': 'version: 1\ndomains: {' });
    expect(found.map((problem) => problem.split(' ')[0])).toEqual(
      expect.arrayContaining(['loop', 'syntax', 'expect-failed']),
    );
  });
});

describe('an error hides no finding that it has no part in', () => {
  const FINDINGS = [
    'prune: { aliases: true }',
    'aliases:',
    '  a: x@acme.example',
    '  b*: x@y.example',
    '  c: x@y.example',
    '  e: x@y.example',
  ];
  const domain = (name: string, ...lines: readonly string[]): string =>
    [`  ${name}:`, ...lines.map((line) => `    ${line}`), ''].join('\n');
  /** The shared sections have three lines, each domain has seven, and the domain with an error eight. */
  const whole = (shared: string, ...more: readonly string[]): string =>
    `version: 1\n${shared}\ndomains:\n${domain('acme.example', ...FINDINGS)}${domain('beta.example', ...FINDINGS, ...more)}`;
  const ENTRIES = ['same-domain-destination 7:7', 'literal-pattern 8:7'] as const;
  const OF_ACME = ['no-postmaster 4:3', 'no-abuse 4:3', ...ENTRIES] as const;
  const OF_BETA = ['no-postmaster 11:3', 'no-abuse 11:3', 'literal-pattern 15:7'] as const;
  const UNUSED = 'destinations: { used: a@y.example, spare: b@y.example }';

  test.each([
    ['in the guards', 'guards: { max_deletes: many }', [], ['wrong-type 2:24', ...OF_ACME, ...OF_BETA]],
    ['in the api', 'api: { version: v5 }', [], ['invalid-value 2:17', ...OF_ACME, ...OF_BETA]],
    [
      'in an entry of one domain: in that, what may depend on it is not judged',
      UNUSED,
      ['  d: [used, "x@@y"]'],
      ['unused-destination 2:36', ...OF_ACME, 'literal-pattern 15:7', 'invalid-address 18:17'],
    ],
    [
      'in a setting of one domain',
      UNUSED.replace('used: ', 'x: '),
      ['whitelabel: "a b"'],
      [
        'unused-destination 2:17',
        'unused-destination 2:33',
        ...OF_ACME,
        'literal-pattern 15:7',
        'invalid-character 18:17',
      ],
    ],
    [
      'in the name of another domain',
      'destinations: {}',
      [],
      [...OF_ACME, ...OF_BETA, 'invalid-domain 18:3'],
      domain('nodot', 'aliases: {}'),
    ],
    [
      'in the indentation: what belongs to the domain above it is not judged',
      'destinations: {}',
      [],
      [...OF_ACME, 'literal-pattern 15:7', 'invalid-domain 18:3', 'wrong-type 18:10'],
      '  rules: []\n',
    ],
    [
      'in what the domains share',
      'destinations: { bad: "x@@y" }',
      [],
      ['unused-destination 2:17', 'invalid-address 2:22', ...ENTRIES, 'literal-pattern 15:7'],
    ],
    [
      'that may be the name of what seems unused',
      UNUSED,
      ['  d: usde'],
      [...OF_ACME, 'literal-pattern 15:7', 'unknown-destination 18:10'],
    ],
  ] as const)('%s', (_, shared, more, expected, after = '') => {
    expect(problemsOf(whole(shared, ...more) + after)).toEqual(expected);
    // Each case has an error.
    expect(load(whole(shared, ...more) + after).desired).toBeNull();
  });

  test('a text that cannot be read may hold anything: only entries are judged', () => {
    const found = problemsOf({ 'a.yaml': whole(UNUSED), 'b.yaml': 'version: 1\ndomains: [\n' });
    const inEntries = ['a.yaml:7:7', 'a.yaml:8:7', 'a.yaml:15:7'];
    expect(found.slice(0, 3).map((problem) => problem.split(' ')[1])).toEqual(inEntries);
    expect(found.slice(3).every((problem) => problem.includes('b.yaml'))).toBe(true);
  });

  test('the same findings are there once the error is gone', () => {
    const fixed = problemsOf(whole(UNUSED, '  d: used'));
    expect(fixed).toEqual(['unused-destination 2:36', ...OF_ACME, ...OF_BETA]);
  });
});
