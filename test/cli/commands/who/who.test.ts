import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WhoDocument } from '../../../../src/cli/commands/who/who-document.ts';
import { commandScene, OWNER, type CommandScene, type SceneOptions } from '../../support/scene.ts';
import { openTwoAccounts } from '../../support/two-accounts.ts';

const MANIFEST = `destinations:
  oncall: [ana@corp.example, ben@corp.example]
  everyone: [oncall, carol@corp.example]
  boss: { env: BOSS }
templates:
  standard:
    aliases: { postmaster: everyone }
defaults: { notification_email: ben@corp.example }
domains:
  acme.example:
    use: [standard]
    aliases:
      sales: Ben@Corp.example
      team: info@hub.example
      "(.+)-team": $1@corp.example
      "(x|y)-off": $1@corp.example
      chief: boss
      "*": catch@hub.example
    rules:
      - { name: vip, expression: 'sender.endsWith("@vip.example")', forward: [ben@corp.example, ana@corp.example] }
      - { name: off, alias: off, forward: ben@corp.example, active: false }
  hub.example:
    notification_email: none
    aliases:
      info:
        - ben@corp.example
      catch: discard
`;
const ENV = { BOSS: 'boss@private.example, ben@corp.example' };

async function ask(
  args: readonly string[],
  options: SceneOptions = {},
): Promise<{ readonly code: number; readonly document: WhoDocument; readonly scene: CommandScene }> {
  const scene = await commandScene({ manifest: MANIFEST, ...options });
  const { code, stdout, stderr } = await scene.run(['who', ...args, '--format', 'json'], { env: ENV });
  if (stdout === '') throw new Error(stderr);
  return { code, document: JSON.parse(stdout) as WhoDocument, scene };
}

/** Returns `DOMAIN KIND NAME only|possible via LINES` for each entry. */
function linesOf({ entries }: WhoDocument): readonly string[] {
  return entries.map(({ domain, kind, name, only, possible, via, sources }) => {
    const facts = [...(only ? ['only'] : []), ...(possible ? ['possible'] : [])];
    return [
      domain,
      kind,
      name ?? '-',
      ...facts,
      `via ${via.join('>')}`,
      sources.map(({ line }) => line).join(),
    ].join(' ');
  });
}

describe('by the manifest', () => {
  test('lists entries through groups, templates, references and own domains, with where they are written', async () => {
    const { code, document, scene } = await ask(['ben@corp.example']);
    expect(linesOf(document)).toEqual([
      'acme.example alias postmaster via standard>everyone>oncall 8,3',
      'acme.example alias sales only via  14',
      'acme.example alias team only via info@hub.example 15,26,27',
      'acme.example alias (.+)-team possible via  16',
      'acme.example alias chief via boss>{ env: BOSS } 18,5',
      'acme.example rule vip via  21',
      'acme.example notification_email - only via  9',
      'hub.example alias info only via  26,27',
    ]);
    expect(document).toMatchObject({ kind: 'fwdsync/who@1', basis: 'manifest', unread: [] });
    expect(document.destination).toBe('{ env: BOSS }');
    expect([code, scene.requests()]).toEqual([0, []]);
  });

  test('takes all addresses of a domain as one destination', async () => {
    const { document } = await ask(['*@private.example']);
    expect(linesOf(document)).toEqual(['acme.example alias chief via boss>{ env: BOSS } 18,5']);
    const corp = await ask(['*@corp.example']);
    expect(corp.document.entries.filter(({ only }) => only).map(({ name }) => name)).toEqual([
      'postmaster',
      'sales',
      'team',
      '(.+)-team',
      '(x|y)-off',
      'vip',
      null,
      'info',
    ]);
  });

  test('finds webhooks as they are, and a setting that is one', async () => {
    const manifest = `domains:
  acme.example: { webhook: https://HOOKS.corp.example/In?a=1, aliases: { x: https://hooks.corp.example/in?a=1 } }
`;
    const asked = await ask(['https://hooks.corp.example/In?a=1', '--api-version', 'v3'], { manifest });
    expect(linesOf(asked.document)).toEqual(['acme.example webhook - only via  3']);
  });

  test('says in plain text what it found, what else leads there, and the next command', async () => {
    const scene = await commandScene({ manifest: MANIFEST });
    const { code, stdout } = await scene.run(['who', 'ben@corp.example'], { env: { BOSS: 'x@y.example' } });
    expect(stdout).toBe(`7 entries send mail to ben@corp.example; 4 of them have no other destination.

postmaster@acme.example
    through template standard, everyone, oncall
    fwdsync.yaml:8:16, fwdsync.yaml:3:30
sales@acme.example
    no other destination
    fwdsync.yaml:14:7
team@acme.example
    no other destination; through info@hub.example
    fwdsync.yaml:15:7, fwdsync.yaml:26:7, fwdsync.yaml:27:11
(.+)-team@acme.example
    for some mail only
    fwdsync.yaml:16:7
rule vip of acme.example
    fwdsync.yaml:21:9
notification_email of acme.example
    no other destination
    fwdsync.yaml:9:13
info@hub.example
    no other destination
    fwdsync.yaml:26:7, fwdsync.yaml:27:11

note: rule off of acme.example forwards there too, but gets no mail now (fwdsync.yaml:22:9)
Replace it: fwdsync replace ben@corp.example NEW --dry-run
`);
    expect(code).toBe(0);
    const terminal = await scene.run(['who', 'ben@corp.example'], { env: ENV, seat: 'terminal' });
    expect(terminal.stdout.split('\n').every((line) => line.length <= 120)).toBe(true);
  });

  test('nothing found is no failure', async () => {
    const scene = await commandScene({ manifest: MANIFEST });
    const { code, stdout } = await scene.run(['who', 'nobody@corp.example'], { env: ENV });
    expect([code, stdout]).toEqual([
      0,
      '1 entry sends mail to nobody@corp.example; it has other destinations too.\n\n(.+)-team@acme.example\n    for some mail only\n    fwdsync.yaml:16:7\n\nReplace it: fwdsync replace nobody@corp.example NEW --dry-run\n',
    ]);
    const none = await scene.run(['who', 'nobody@nowhere.example'], { env: ENV });
    expect([none.code, none.stdout]).toEqual([
      0,
      'Nothing in the manifest sends mail to nobody@nowhere.example.\n',
    ]);
  });

  test('an address that the manifest routes is no end, and that is said', async () => {
    const { document } = await ask(['info@hub.example']);
    expect(linesOf(document)).toEqual(['acme.example alias team only via  15']);
    expect(document.notes).toEqual([
      'info@hub.example is an address of this account: its mail is forwarded further',
    ]);
  });

  test('hides local parts under --mask, and values behind references always', async () => {
    const scene = await commandScene({ manifest: MANIFEST });
    for (const format of ['text', 'json']) {
      const masked = await scene.run(['who', 'ben@corp.example', '--mask', '--format', format], { env: ENV });
      expect(masked.stdout).not.toMatch(/ben@|boss@private/i);
      expect(masked.stdout).toContain('***1@hub.example');
      const shown = await scene.run(['who', 'BOSS@private.example', '--format', format], { env: ENV });
      expect(shown.stdout).not.toMatch(/boss@private/i);
      expect(shown.stdout).toContain('{ env: BOSS }');
    }
  });

  test('asks the manifest of each of many accounts', async () => {
    const { directory, env } = await openTwoAccounts();
    const scene = await commandScene();
    const many = join(directory, 'many');
    const input = { env: { ...env, FWDSYNC_ACCOUNT: '', FWDSYNC_API_URL: '' } };
    const { code, stdout } = await scene.run(
      ['who', 'carol@corp.example', '--accounts', many, '--format', 'json'],
      input,
    );
    const { accounts } = JSON.parse(stdout) as {
      readonly accounts: readonly { readonly name: string; readonly document: WhoDocument }[];
    };
    expect([code, accounts.map(({ name, document }) => [name, linesOf(document).length])]).toEqual([
      0,
      [
        ['acme', 1],
        ['beta', 1],
      ],
    ]);
  });

  test.each([
    ['64', ['who', 'ben'], 'neither an address nor a webhook'],
    ['64', ['who', '*@corp'], 'is not a domain name'],
    ['64', ['who', 'ben@corp.example', '--account', OWNER], 'has no effect without --live'],
    ['64', ['who'], "missing required argument 'destination'"],
    ['5', ['who', 'ben@corp.example', '-f', 'invalid.yaml'], 'unknown-destination'],
    ['1', ['who', 'ben@corp.example', '-f', 'none.yaml'], 'none.yaml does not exist'],
  ])('%s: %j', async (code, line, words) => {
    const scene = await commandScene({ manifest: MANIFEST });
    await writeFile(
      join(scene.directory, 'invalid.yaml'),
      'version: 1\ndomains: { a.example: { aliases: { x: y } } }\n',
    );
    const ended = await scene.run(line, { env: ENV });
    expect([String(ended.code), ended.stderr.includes(words)], ended.stderr).toEqual([code, true]);
  });
});

const SEED = {
  domains: [
    {
      domain: 'acme.example',
      notification_email: 'ben@corp.example',
      aliases: [
        { alias: 'sales', forward: 'ben@corp.example, ana@corp.example' },
        { alias: 'team', forward: 'info@hub.example' },
      ],
      rules: [
        { type: 'alias' as const, config: { alias: 'vip', forward: 'ben@corp.example' }, id: 'rule-1' },
      ],
    },
    {
      domain: 'hub.example',
      routing_engine: 'rules' as const,
      rules_fallback_email: 'ben@corp.example',
      aliases: [{ alias: 'old', forward: 'ben@corp.example' }],
      rules: [
        { type: 'alias' as const, config: { alias: 'info', forward: 'ben@corp.example' }, id: 'rule-2' },
      ],
    },
    { domain: 'off.example', routing_engine: null, aliases: [{ alias: 'x', forward: 'ben@corp.example' }] },
  ],
};

describe.each(['v4', 'v3'] as const)('by the account, through %s', (version) => {
  const live = ['ben@corp.example', '--live'];

  test('asks all domains as they route mail, and says before how much that takes', async () => {
    const scene = await commandScene({ version, seed: SEED });
    const { code, stdout, stderr } = await scene.run(['who', ...live, '--format', 'json']);
    const document = JSON.parse(stdout) as WhoDocument;
    const told = [
      'acme.example alias sales via  ',
      'acme.example alias team only via info@hub.example ',
      'acme.example notification_email - only via  ',
      'hub.example rule rule-2 only via  ',
      'hub.example catch-all rules_fallback_email only via  ',
    ];
    // v3 does not show where mail goes if no rule matches.
    expect(linesOf(document)).toEqual(version === 'v4' ? told : told.slice(0, -1));
    expect(stderr).toMatch(/^reading 3 domains: at least \d requests?, about \d s\n$/);
    expect([code, scene.writes()]).toEqual([0, []]);
  });

  test('a domain that cannot be read ends with 1, and the others are listed', async () => {
    const scene = await commandScene({ version, seed: SEED });
    scene.emulator.faults.push({
      match: { method: 'GET', path: 'domains/hub.example/rules', times: 'always' },
      do: { kind: 'status', code: 400 },
    });
    const { code, stdout } = await scene.run(['who', ...live, '--format', 'json']);
    const { unread, entries } = JSON.parse(stdout) as WhoDocument;
    expect([code, unread.map(({ domain }) => domain)]).toEqual([1, ['hub.example']]);
    expect(entries.map(({ domain }) => domain)).toContain('acme.example');
    const text = await scene.run(['who', ...live]);
    expect(text.stdout).toContain('not read: hub.example: GET /domains/:domain/rules');
  });

  test('a value of an earlier run is shown as its reference', async () => {
    const manifest = 'domains: { acme.example: { aliases: { sales: { env: BOSS } } } }\n';
    const scene = await commandScene({ version, seed: { domains: [{ domain: 'acme.example' }] }, manifest });
    const env = { BOSS: 'boss@private.example' };
    expect((await scene.run(['apply', '--yes'], { env })).code).toBe(0);
    await scene.manifest('domains: {}\n');
    await mkdir(join(scene.directory, 'empty'));
    const { code, stdout } = await scene.run(['who', 'boss@private.example', '--live']);
    expect([code, stdout.includes('boss@private')]).toEqual([0, false]);
    expect(stdout).toContain('1 entry sends mail to { env: BOSS }');
  });
});
