import { describe, expect, test } from 'vitest';
import { deliver } from '../support/deliver.ts';
import { commandScene, type CommandScene, type SceneOptions } from '../support/scene.ts';

const ALIASES = [
  { alias: 'sales', forward: 'carol@corp.example' },
  { alias: 'boss', forward: 'boss@private.example' },
];
const SEED = { domains: [{ domain: 'acme.example', aliases: ALIASES }] };
const VERSIONS = ['v4', 'v3'] as const;

async function open(options: SceneOptions = {}): Promise<CommandScene> {
  return commandScene({ seed: SEED, ...options });
}

/** Messages with each result: delivered, refused and bounced; a minute apart from 2026-09-01T00:00:00Z on. */
function deliverSome(scene: CommandScene): void {
  deliver(scene, { to: 'sales@acme.example', subject: 'hello' });
  deliver(scene, { to: 'nobody@acme.example', subject: 'who?', from: 'ben@corp.example' });
  deliver(scene, { to: 'sales@acme.example', subject: 'invoice 7', outcome: 'HARD-BOUNCE' });
}

function subjects(stdout: string): readonly string[] {
  return [...stdout.matchAll(/ {2}"([^"]*)" {2}/g)].map(([, subject]) => subject ?? '');
}

describe.each(VERSIONS)('logs through %s', (version) => {
  test('a line an entry, newest first, its chain of events in it', async () => {
    const scene = await open({ version });
    deliverSome(scene);
    const { code, stdout } = await scene.run(['logs', 'acme.example']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/ {2}\S+$/, ''))).toEqual([
      expect.stringMatching(
        /^2026-09-01T00:02:00Z {2}ana@corp\.example -> sales@acme\.example -> carol@corp\.example {2}QUEUED > HARD-BOUNCE \d+ .+ {2}"invoice 7"$/,
      ),
      expect.stringMatching(
        /^2026-09-01T00:01:00Z {2}ben@corp\.example -> nobody@acme\.example {2}REFUSED .*"who\?"$/,
      ),
      '2026-09-01T00:00:00Z  ana@corp.example -> sales@acme.example -> carol@corp.example  QUEUED > DELIVERED  "hello"',
    ]);
    expect(code).toBe(0);
  });

  test('--format json prints one entry a line', async () => {
    const scene = await open({ version });
    deliverSome(scene);
    const { stdout } = await scene.run(['logs', 'acme.example', '--format', 'json']);
    const entries = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries).toHaveLength(3);
    expect(entries.at(-1)).toMatchObject({
      createdAt: '2026-09-01T00:00:00Z',
      sender: { email: 'ana@corp.example' },
      recipient: { email: 'sales@acme.example' },
      forward: { email: 'carol@corp.example' },
      subject: 'hello',
      transport: 'mx',
      events: [
        { status: 'QUEUED' },
        { status: 'DELIVERED', createdAt: expect.stringMatching(/Z$/) as unknown },
      ],
    });
  });

  test('--limit ends the list, also over several pages', async () => {
    const scene = await open({ version });
    for (let index = 0; index < 250; index += 1)
      deliver(scene, { to: 'sales@acme.example', subject: `${index}` });
    const all = await scene.run(['logs', 'acme.example', '--limit', '1000']);
    expect(subjects(all.stdout)).toEqual(Array.from({ length: 250 }, (_, index) => String(249 - index)));
    const some = await scene.run(['logs', 'acme.example', '--limit', '205']);
    expect(subjects(some.stdout)).toHaveLength(205);
    expect(subjects((await scene.run(['logs', 'acme.example'])).stdout)).toHaveLength(100);
  });

  test('--alias lists the mail to one alias', async () => {
    const scene = await open({ version });
    deliverSome(scene);
    deliver(scene, { to: 'boss@acme.example', subject: 'raise' });
    const { stdout } = await scene.run(['logs', 'acme.example', '--alias', 'boss']);
    expect(subjects(stdout)).toEqual(['raise']);
  });

  test('--count counts, with the filters', async () => {
    const scene = await open({ version });
    deliverSome(scene);
    expect((await scene.run(['logs', 'acme.example', '--count'])).stdout).toBe('3\n');
    const bounced = ['logs', 'acme.example', '--count', '--status', 'hard-bounce,REFUSED'];
    expect((await scene.run(bounced)).stdout).toBe('2\n');
    expect((await scene.run([...bounced, '--format', 'json'])).stdout).toBe('{"total":2}\n');
    const later = [
      'logs',
      'acme.example',
      '--count',
      '--after',
      '2026-09-01T00:00:30Z',
      '--sender',
      'ben@corp.example',
    ];
    expect((await scene.run(later)).stdout).toBe('1\n');
  });

  test('--id shows one entry with its timeline; 1 for one that is not there', async () => {
    const scene = await open({ version });
    deliverSome(scene);
    const list = await scene.run(['logs', 'acme.example']);
    const id = list.stdout.trimEnd().split('\n')[2]?.split('  ').at(-1) ?? '';
    const { code, stdout } = await scene.run(['logs', 'acme.example', '--id', id]);
    expect(stdout).toMatch(/^2026-09-01T00:00:00Z .*"hello" {2}\S+\n {2}transport {4}mx\n/);
    expect(stdout).toMatch(/\n {2}\S+Z {2}QUEUED [^\n]*\n {2}\S+Z {2}DELIVERED [^\n]*\n$/);
    expect(code).toBe(0);
    const missing = await scene.run(['logs', 'acme.example', '--id', 'missing']);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining(
        'error: acme.example has no log entry "missing"\n  try: `fwdsync logs acme.example` lists them',
      ),
    ]);
    const elsewhere = await scene.run(['logs', 'acmee.example', '--id', id]);
    expect(elsewhere.stderr).toContain('the account has no domain acmee.example');
  });

  test('--search finds by text', async () => {
    const scene = await open({ version });
    deliverSome(scene);
    const between = ['--after', '2026-09-01', '--before', '2026-09-02'];
    const { code, stdout } = await scene.run(['logs', 'acme.example', '--search', 'invoice', ...between]);
    expect([code, subjects(stdout)]).toEqual([0, ['invoice 7']]);
  });

  test('--mask and the manifest hide addresses; hidden characters are shown', async () => {
    const scene = await open({ version });
    deliver(scene, { to: 'boss@acme.example', subject: 'a\u202eb' });
    const masked = await scene.run(['logs', 'acme.example', '--mask']);
    expect(masked.stdout).toContain('***1@corp.example -> ***2@acme.example -> ***3@private.example');
    expect(masked.stdout).toContain('<U+202E>');
    await scene.manifest('domains:\n  acme.example:\n    aliases: { boss: { env: BOSS } }\n');
    for (const format of ['text', 'json']) {
      const { stdout } = await scene.run(['logs', 'acme.example', '--format', format], {
        env: { BOSS: 'boss@private.example' },
      });
      expect(stdout).toContain('{ env: BOSS }');
      expect(stdout).not.toContain('boss@private.example');
    }
  });

  test('sends nothing but GET, and 1 for a domain that is not there', async () => {
    const scene = await open({ version });
    for (const flags of [
      [],
      ['--count', '--after', '2026-09-01'],
      ...(version === 'v4' ? [['--follow']] : []),
    ]) {
      const { code, stderr } = await scene.run(['logs', 'acme.exmaple', ...flags]);
      expect([code, stderr]).toEqual([
        1,
        'error: the account has no domain acme.exmaple\n  try: did you mean "acme.example"?\n',
      ]);
    }
    expect(scene.writes()).toEqual([]);
  });
});

describe('wrong usage', () => {
  test.each([
    ['no domain', []],
    ['what is no domain', ['acme']],
    ['two modes', ['acme.example', '--count', '--follow']],
    ['a filter without meaning', ['acme.example', '--id', 'x', '--sender', 'a@b.example']],
    ['an order without meaning', ['acme.example', '--follow', '--order', 'created_asc']],
    ['relevance of a list', ['acme.example', '--order', 'relevance']],
    ['an unknown order', ['acme.example', '--order', 'sideways']],
    ['an unknown status', ['acme.example', '--status', 'LOST']],
    ['an unknown transport', ['acme.example', '--transport', 'pigeon']],
    ['no time', ['acme.example', '--after', 'yesterday']],
    ['no number', ['acme.example', '--limit', 'many']],
    ['a limit of nothing', ['acme.example', '--limit', '0']],
    ['too large a page', ['acme.example', '--follow', '--limit', '201']],
  ])('64: %s', async (_, args) => {
    const scene = await open();
    const { code, stderr } = await scene.run(['logs', ...args]);
    expect(stderr).not.toBe('');
    expect([code, scene.requests()]).toEqual([64, []]);
  });

  test.each([
    [['--sender', 'a@b.example'], 'v3 cannot list logs with sender'],
    [['--status', 'BOUNCED'], 'v3 cannot list logs with status'],
    [['--order', 'created_asc'], 'v3 cannot list logs with order'],
    [['--follow'], '--follow needs v4'],
    [['--search', 'x'], 'v3 searches logs only between two times'],
    [
      ['--search', 'x', '--after', '2026-09-01', '--before', '2026-09-02', '--recipient', 'x'],
      'v3 cannot search logs with recipient',
    ],
  ])('64: what v3 lacks, with the reason: %j', async (flags, reason) => {
    const scene = await open({ version: 'v3' });
    const { code, stderr } = await scene.run(['logs', 'acme.example', ...flags]);
    expect(stderr).toContain(reason);
    expect([code, scene.requests()]).toEqual([64, []]);
  });
});

describe('logs of v4', () => {
  test.each([
    [['--recipient', 'nobody@acme.example'], ['who?']],
    [
      ['--forward', 'CAROL@corp.example', '--order', 'created_asc'],
      ['hello', 'invoice 7'],
    ],
    [['--before', '2026-09-01T00:00:30Z'], ['hello']],
    [['--transport', 'smtp'], []],
  ])('filters %j', async (flags, expected) => {
    const scene = await open();
    deliverSome(scene);
    const { stdout } = await scene.run(['logs', 'acme.example', ...flags]);
    expect(subjects(stdout)).toEqual(expected);
  });

  test('--follow prints what arrives until it is interrupted: 130', async () => {
    const scene = await open();
    deliverSome(scene);
    const stop = new AbortController();
    let looks = 0;
    scene.emulator.onRequest(({ phase }) => {
      if (phase !== 'after') return;
      looks += 1;
      if (looks === 2) deliver(scene, { to: 'sales@acme.example', subject: 'new' });
      if (looks === 4) stop.abort('SIGINT');
    });
    const { code, stdout } = await scene.run(['logs', 'acme.example', '--follow'], { signal: stop.signal });
    expect(subjects(stdout)).toEqual(['new']);
    expect(code).toBe(130);
  });
});
