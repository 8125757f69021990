import { expect, test } from 'vitest';
import { commandScene } from '../../support/scene.ts';

const NAMES = Array.from({ length: 8 }, (_, index) => `d${index}.example`);
/** Two notices per domain, for postmaster and abuse, and a warning. */
const MANIFEST = `domains:\n${NAMES.map((name) => `  ${name}: { prune: { aliases: true }, aliases: { info: http://hooks.example/x } }\n`).join('')}`;

function count(text: string, word: string): number {
  return text.split(`: ${word}: `).length - 1;
}

test('at most ten notices are printed, then their number and the command that lists all', async () => {
  const scene = await commandScene({ manifest: MANIFEST });
  const { stderr } = await scene.run(['validate', '-f', 'fwdsync.yaml']);
  expect([count(stderr, 'notice'), count(stderr, 'warning')]).toEqual([10, 8]);
  const [, more, command = ''] = /… and (\d+) notices more; list all with: fwdsync (.+)\n/.exec(stderr) ?? [];
  expect(Number(more)).toBe(6);
  const { stdout } = await scene.run(command.split(' '));
  const { problems } = JSON.parse(stdout) as { readonly problems: readonly { readonly severity: string }[] };
  expect(problems.filter(({ severity }) => severity === 'notice')).toHaveLength(16);
});

test.each(['plan', 'validate'])('%s of one domain prints what concerns that domain', async (command) => {
  const scene = await commandScene({ manifest: `destinations: { unused: a@corp.example }\n${MANIFEST}` });
  const { stderr } = await scene.run([command, '--domain', 'd3.example']);
  expect([count(stderr, 'notice'), count(stderr, 'warning')]).toEqual([2, 1]);
  expect(stderr).not.toMatch(/d[^3]\.example/);
  expect(stderr).not.toContain('unused');
});

test('errors, warnings and notices come in one go, in order of position', async () => {
  const domains = ['  c.example: { aliases: { bad: nobody } }', ...MANIFEST.trim().split('\n').slice(1, 3)];
  const scene = await commandScene({
    manifest: `destinations: { spare: a@corp.example }\ndomains:\n${domains.join('\n')}\n`,
  });
  const { code, stderr } = await scene.run(['validate']);
  const { stdout } = await scene.run(['validate', '--format', 'json']);
  const { problems } = JSON.parse(stdout) as {
    readonly problems: readonly { readonly severity: string; readonly source: { readonly line: number } }[];
  };
  const severities = [
    // The unknown name may be the spare one.
    ['error', 4],
    ['notice', 5],
    ['notice', 5],
    ['warning', 5],
    ['notice', 6],
    ['notice', 6],
    ['warning', 6],
  ];
  expect(problems.map(({ severity, source }) => [severity, source.line])).toEqual(severities);
  expect(
    [...stderr.matchAll(/^fwdsync\.yaml:(\d):\d+: (\w+): /gm)].map(([, line, word]) => [word, Number(line)]),
  ).toEqual(severities);
  expect(code).toBe(5);
  const planned = await scene.run(['plan']);
  expect([planned.code, planned.stderr.startsWith(stderr)]).toEqual([5, true]);
});

test('a domain says nothing of another that has an error, but the error', async () => {
  const scene = await commandScene({ manifest: `${MANIFEST}  bad.example: { aliases: { x: nobody } }\n` });
  const { code, stderr } = await scene.run(['validate', '--domain', 'd3.example']);
  expect([code, count(stderr, 'error')]).toEqual([5, 1]);
});

test.each([
  ['after', '"*": a@corp.example, info: a@corp.example', 51],
  ['before', 'info: a@corp.example, "*": a@corp.example', 30],
])(
  'an alias %s a catch-all of the same destinations is named, at its own place',
  async (_, aliases, column) => {
    const scene = await commandScene({ manifest: `domains:\n  acme.example: { aliases: { ${aliases} } }\n` });
    const { stdout } = await scene.run(['validate', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      problems: [
        {
          code: 'same-as-catch-all',
          hint: 'delete "info"; or keep it, if it should stay when "*" changes',
          source: { line: 3, column },
        },
      ],
    });
  },
);

test('a finding in a template names the domain, and its use', async () => {
  const scene = await commandScene({
    manifest: [
      'templates: { web: { aliases: { info: a@corp.example } } }',
      'domains:',
      '  one.example: { use: [web] }',
      '  two.example: { use: [web], aliases: { "*": a@corp.example } }',
      '  six.example: { use: [web], aliases: { "*": a@corp.example } }',
      '',
    ].join('\n'),
  });
  const { stdout } = await scene.run(['validate', '--format', 'json']);
  expect((JSON.parse(stdout) as { readonly problems: unknown }).problems).toMatchObject([
    {
      code: 'same-as-catch-all',
      message: 'the alias "info" has the same destinations as the catch-all, in six.example',
      source: { line: 2, column: 32 },
      via: { line: 6, column: 24 },
    },
  ]);
  const { stderr } = await scene.run(['validate', '--domain', 'two.example']);
  expect(stderr).toContain('in two.example [same-as-catch-all]\n    used at fwdsync.yaml:5:24\n');
});

test('a finding in a template about a rule names the domain that does not silence it', async () => {
  const rules =
    '[{ name: all, alias: "*", forward: a@corp.example }, { name: one, alias: one, forward: a@corp.example }]';
  const scene = await commandScene({
    manifest: [
      `templates: { web: { rules: ${rules} } }`,
      'domains:',
      '  one.example: { use: [web], lint: { off: [shadowed-rule] } }',
      '  two.example: { use: [web] }',
      '',
    ].join('\n'),
  });
  const { stdout } = await scene.run(['validate', '--format', 'json']);
  expect((JSON.parse(stdout) as { readonly problems: unknown }).problems).toMatchObject([
    { code: 'shadowed-rule', message: expect.stringMatching(/, in two\.example$/), via: { line: 5 } },
  ]);
});
