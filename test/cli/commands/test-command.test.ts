import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fwdsync, type CommandResult } from '../../support/command.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fwdsync-test-'));
});

afterEach(() => rm(cwd, { recursive: true }));

const MANIFEST = `version: 1
api: { account: ops@acme.example, key: { env: NOWHERE } }
destinations:
  boss: { env: BOSS }
domains:
  acme.example:
    aliases:
      sales: [ana@corp.example, boss]
      spam: discard
      hop: sales@other.example
      hook: https://hooks.corp.example/in
    rules:
      - { name: bills, regex: ".*Größe.*", scopes: [subject, body], forward: billing@corp.example }
    expect:
      - { to: sales@acme.example, forward: [boss, ana@corp.example] }
      - { to: any@acme.example, subject: "Größe 7", forward: billing@corp.example }
      - { to: any@acme.example, body: "naïve\\nGröße", from: eve@x.example, forward: billing@corp.example }
      - { to: nobody@acme.example, forward: refused }
      - { to: spam@acme.example, forward: discard }
      - { to: hop@acme.example, forward: sales@other.example }
      - { to: hook@acme.example, forward: https://hooks.corp.example/in }
  other.example:
    aliases: { sales: cara@corp.example }
`;

async function run(text: string, ...args: readonly string[]): Promise<CommandResult> {
  await writeFile(join(cwd, 'fwdsync.yaml'), text);
  return fwdsync(['test', ...args], { cwd });
}

test('sends each expectation by SMTP, without any key or reference', async () => {
  const { code, stdout } = await run(MANIFEST);
  expect(stdout).toContain('7 mails sent, all arrived as expected.');
  expect(stdout).toContain('sales@acme.example -> ana@corp.example, { env: BOSS }');
  expect(stdout).not.toContain('reference.invalid');
  expect(code).toBe(0);
});

test('one that arrives elsewhere: 2, with both routes and the line', async () => {
  const wrong = '      - { to: sales@acme.example, forward: cara@corp.example }\n';
  const { code, stdout } = await run(MANIFEST.replace('    expect:\n', `    expect:\n${wrong}`));
  expect(stdout).toContain(
    [
      'FAIL fwdsync.yaml:15:9: sales@acme.example',
      '       expected -> cara@corp.example',
      '       but got  -> ana@corp.example, { env: BOSS }',
    ].join('\n'),
  );
  expect(stdout).toContain('8 mails sent, 1 not as expected.');
  expect(code).toBe(2);
});

test.each([
  ['patterns in any order', 'info', '(sales|info)', '(info|hr)', 'alias "(sales|info)", alias "(info|hr)"'],
  ['a name that may be a pattern', 'support', 'sup*', '"*"', 'alias "*", alias "sup*"'],
])('an unknown result counts as not arrived: %s', async (_, local, first, second, takers) => {
  const { code, stdout } = await run(`version: 1
domains:
  acme.example:
    aliases: { ${first}: ana@corp.example, ${second}: ben@corp.example }
    expect: [{ to: ${local}@acme.example, forward: ana@corp.example }]
`);
  expect(stdout).toContain(`       but it is not known which of these gets it: ${takers}\n`);
  expect(stdout).toContain('1 mail sent, 1 not as expected.');
  expect(code).toBe(2);
});

test('nothing to test, and a manifest that is not valid', async () => {
  const nothing = await run('version: 1\ndomains:\n  a.example:\n    aliases: {}\n');
  expect(nothing).toMatchObject({ code: 0 });
  expect(nothing.stdout).toContain('Nothing to test');
  expect((await run('domains: 7\n')).code).toBe(5);
});

test.each([
  [['--relay', '127.0.0.1:25'], '--relay needs --smtp or --submission'],
  [['--smtp', '0', '--relay', 'mail.example.com:25'], 'is not a host and port on loopback'],
  [['--smtp', '0', '--relay', '10.0.0.1:25'], 'the emulator sends nothing to other machines'],
  [['--smtp', '0', '--webhook', 'http://localhost:3000'], 'is not an origin that may be called'],
  [['--smtp', '0', '--webhook', 'https://127.0.0.1:3000'], 'is not an origin that may be called'],
  [['--smtp', '0', '--port', '3000', '--webhook', 'http://127.0.0.1:3000'], 'it is the emulator itself'],
])('emulator %j: 64', async (args, message) => {
  const { code, stderr } = await fwdsync(['emulator', ...args], { cwd });
  expect(stderr).toContain(message);
  expect(code).toBe(64);
});
