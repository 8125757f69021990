import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fwdsync } from '../../../support/command.ts';
import { openWorkspace, OWNER } from '../../../support/workspace.ts';
import { daemon, place, type Process } from '../../support/daemon-process.ts';
import { IS_FULL } from '../../../support/share.ts';

const TOKEN = 'token-of-the-page-0123456789';

async function ask(
  process: Process,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { port } = await process.event('status.listening');
  const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, { headers });
  return { status: answer.status, text: await answer.text() };
}

test('the page of a daemon that runs: domains, the last run and its diff, a route, and no secret', async () => {
  const here = await place();
  await writeFile(join(here.directory, 'token'), `${TOKEN}\n`);
  const process = daemon(here, ['--base-path', '/mail'], { FWDSYNC_PAGE_TOKEN_FILE: 'token' });
  await process.event('run.finished');
  const get = (path: string) => ask(process, path, { authorization: `Bearer ${TOKEN}` });
  expect((await ask(process, '/mail/')).status).toBe(401);
  const { text } = await get('/mail/');
  expect(text).toContain('All 2 domains are in sync');
  expect(text).toContain('fwdsync.yaml:5');
  const [, run = ''] = /href="\/mail\/runs\/([^"]+)"/.exec(text) ?? [];
  const detail = await get(`/mail/runs/${run}`);
  expect(detail.text).toMatch(/alias.*sales.*dan@corp\.example -&gt; carol@corp\.example/s);
  expect(detail.text).toContain('{ env: BOSS }');
  const route = await get('/mail/?route=boss%40acme.example');
  expect(route.text).toContain('boss@acme.example -&gt; { env: BOSS }');
  expect(route.text).toContain('alias boss matches it by its name (fwdsync.yaml:7:');
  const unnamed = await get('/?route=x%40nobody.example');
  expect(unnamed.text).toContain('does not name nobody.example');
  expect(unnamed.text).toContain('ask the account: <code>fwdsync route x@nobody.example --live');
  expect((await get('/?route=nonsense')).text).toContain('is not an address');
  const all = `${text}${detail.text}${route.text}${(await get('/status')).text}`;
  expect(all).not.toContain('boss@private.example');
  expect(all).not.toContain('battery');
  await process.end();
  expect(await process.output).not.toContain(TOKEN);
});

test.runIf(IS_FULL).each([
  ['alias', 'sales@acme.example -&gt; carol@corp.example', 'alias sales matches it'],
  ['rules', 'sales@acme.example -&gt; dan@corp.example', 'rule all matches it'],
] as const)('the route box uses the engine that the daemon has read: %s', async (engine, way, why) => {
  const here = await openWorkspace([{ domain: 'acme.example', routing_engine: engine }]);
  await here.write(`version: 1
api: { account: ${OWNER} }
domains:
  acme.example:
    aliases: { sales: carol@corp.example }
    rules: [{ name: all, alias: sales, forward: dan@corp.example }]
`);
  const process = daemon({ ...here, env: { ...here.env, FWDSYNC_LOG_FORMAT: 'json' } });
  await process.event('run.finished');
  const { text } = await ask(process, '/?route=sales%40acme.example');
  expect(text).toContain(way);
  expect(text).toContain(why);
  expect(text).not.toMatch(/is not known|use --live/);
  expect(await process.end()).toBe(0);
});

describe('a domain of a daemon that only reports', () => {
  const MANIFEST = `version: 1
api: { account: ${OWNER} }
destinations:
  team: [ana@corp.example, ben@corp.example]
domains:
  acme.example:
    aliases: { sales: team, info: carol@corp.example, help: sales@acme.example }
    rules:
      - { name: vip, alias: vip, forward: ana@corp.example }
      - { name: last, alias: last, forward: ben@corp.example }
`;

  async function observing(...args: readonly string[]): Promise<Process> {
    const rule = (alias: string, forward: string, rank: number) =>
      ({ type: 'alias', config: { alias, forward }, rank }) as const;
    const here = await openWorkspace([
      {
        domain: 'acme.example',
        routing_engine: 'rules',
        aliases: [
          { alias: 'sales', forward: 'ana@corp.example,ben@corp.example' },
          { alias: 'info', forward: 'dan@corp.example' },
          { alias: 'hand-made', forward: 'eve@elsewhere.example' },
        ],
        rules: [
          rule('last', 'ben@corp.example', 1),
          rule('own', 'eve@elsewhere.example', 2),
          rule('vip', 'ana@corp.example', 3),
        ],
      },
    ]);
    await here.write(MANIFEST);
    const env = { ...here.env, FWDSYNC_LOG_FORMAT: 'json' };
    const process = daemon({ ...here, env }, ['--mode', 'observe', ...args]);
    await process.event('run.finished');
    return process;
  }

  function flat(text: string): string {
    return text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  }

  test('shows what the account has and what is to come, and answers by it', async () => {
    const process = await observing();
    await showsForwards(process);
    await findsSenders(process);
    const route = await ask(process, '/?route=vip%40acme.example');
    expect(route.text).toContain('rule vip matches it');
    expect(await process.end()).toBe(0);
  });

  /** Names in the order of the account's questions. */
  async function showsForwards(process: Process): Promise<void> {
    const text = flat((await ask(process, '/domains/acme.example')).text);
    expect(text).toContain('Rules route the mail of this domain, in this order; its aliases are not used.');
    const order = [
      /rule last alias last ben@corp\.example .*?fwdsync\.yaml:10/,
      /rule \S+ alias own eve@elsewhere\.example only in the account/,
      /rule vip alias vip ana@corp\.example/,
      /alias sales ana@corp\.example, ben@corp\.example fwdsync\.yaml:7/,
      /alias info dan@corp\.example ~ to update: dan@corp\.example -&gt; carol@corp\.example fwdsync\.yaml:7/,
      /alias help not in the account yet \+ to add: sales@acme\.example/,
      /alias hand-made eve@elsewhere\.example only in the account/,
    ];
    const [, forwards = ''] = text.split('Forwards to Line');
    expect(order.map((row) => row.exec(forwards)?.index ?? -1)).toEqual(
      order.map((row) => row.exec(forwards)?.index ?? NaN).toSorted((a, b) => a - b),
    );
  }

  /** The answer with groups, lines, and the command to replace the destination. */
  async function findsSenders(process: Process): Promise<void> {
    const text = flat((await ask(process, '/?to=BEN%40corp.example')).text);
    expect(text).toContain('3 entries send mail to BEN@corp.example');
    expect(text).toMatch(/sales@acme\.example through team fwdsync\.yaml:7 fwdsync\.yaml:4/);
    expect(text).toMatch(/help@acme\.example for some mail only; through sales@acme\.example, team/);
    expect(text).toMatch(/rule last of acme\.example no other destination/);
    expect(text).toContain('fwdsync replace BEN@corp.example NEW --dry-run');
    expect(flat((await ask(process, '/?to=nonsense')).text)).toContain('neither an address nor a webhook');
    expect(flat((await ask(process, '/?to=x%40nobody.example')).text)).toContain(
      'Nothing in the manifest sends mail to x@nobody.example.',
    );
  }

  test('hides local parts with --mask, and tells open pages what has changed', async () => {
    const process = await observing('--mask');
    const text = ['/domains/acme.example', '/?to=ben%40corp.example', '/?view=wall'];
    const pages = await Promise.all(text.map(async (path) => (await ask(process, path)).text));
    expect(pages.join('').replaceAll(/(?:value|placeholder)="ben@corp.example"/g, '')).not.toMatch(
      /(?:ana|ben|carol|dan|eve)@/,
    );
    const { text: some } = await ask(process, '/?q=acme.example');
    expect(some).toMatch(
      /alias<\/span>\s*<b>info<\/b>\s*\*\*\*\d+@corp\.example -&gt; \*\*\*\d+@corp\.example/,
    );
    expect(some).not.toMatch(/dan@|carol@/);
    const { port } = await process.event('status.listening');
    const stop = new AbortController();
    const events = await fetch(`http://127.0.0.1:${String(port)}/events`, { signal: stop.signal });
    expect(events.headers.get('content-type')).toBe('text/event-stream');
    const reader = events.body?.getReader();
    const next = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
    expect(await next()).toBe('retry: 3000\n\n');
    process.child.kill('SIGHUP');
    expect(await next()).toContain('data: changed\n\n');
    stop.abort();
    expect(await process.end()).toBe(0);
  });
});

test('beyond loopback without a token it warns, and serves neither the page nor /status', async () => {
  const here = await place();
  const process = daemon(here, ['--listen', '0.0.0.0:0']);
  expect((await process.event('page.closed'))['message']).toContain('FWDSYNC_PAGE_TOKEN is not set');
  expect((await ask(process, '/')).status).toBe(404);
  expect((await ask(process, '/status')).status).toBe(404);
  expect((await ask(process, '/metrics')).status).toBe(200);
  await process.end();
});

const HOOK = 'http://127.0.0.1:1/secret-token';
const MAIL = 'smtp://ops:secret-token@127.0.0.1:1/?from=a@x.example&to=b@x.example';

describe('errors are reported before anything is sent', () => {
  test.each([
    [['--base-path', 'mail'], {}, 64, '--base-path mail: it is not a path'],
    [['--base-path', '/mail', '--once'], {}, 64, '--base-path has no effect with --once'],
    [['--notify-format', 'slack', '--once'], {}, 64, '--notify-format has no effect with --once'],
    [['--notify-format', 'slack'], {}, 64, 'no effect without FWDSYNC_NOTIFY_URL'],
    [['--notify-format', 'irc'], {}, 64, 'Allowed choices are json, slack, teams, mail'],
    [['--notify-format', 'mail'], { FWDSYNC_NOTIFY_URL: HOOK }, 64, 'does not fit --notify-format mail'],
    [[], { FWDSYNC_NOTIFY_URL: MAIL }, 64, 'add --notify-format mail'],
    [['--notify-every', '24h'], { FWDSYNC_NOTIFY_URL: HOOK }, 64, 'only with --notify-format mail'],
    [['--notify-test'], {}, 64, '--notify-test has no effect without FWDSYNC_NOTIFY_URL'],
    [['--notify-test'], { FWDSYNC_NOTIFY_URL: HOOK }, 1, 'did not arrive: the webhook cannot be reached'],
    [[], { FWDSYNC_PAGE_TOKEN_FILE: 'nowhere' }, 1, 'FWDSYNC_PAGE_TOKEN_FILE names nowhere'],
  ] as const)('%j %j: %d', async (args, env, code, message) => {
    const here = await place();
    const ended = await fwdsync(['run', '--listen', '127.0.0.1:0', ...args], {
      cwd: here.directory,
      env: { ...here.env, ...env },
    });
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(ended.stderr + ended.stdout).not.toContain('secret-token');
    expect(here.emulator.journal.entries()).toEqual([]);
  });
});
