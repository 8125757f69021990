import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlanDocument } from '../../../../src/core/plan/document/document.ts';
import type { Fault } from '../../../../src/emulator/faults/faults.ts';
import type { SeedLog } from '../../../../src/emulator/logs/logs-seed.ts';
import { createRepository, GIT_ENV } from '../../support/repository.ts';
import { commandScene, type CommandScene, type SceneOptions } from '../../support/scene.ts';
import { openTwoAccounts } from '../../support/two-accounts.ts';

const DAY = 86_400_000;

const MANIFEST = `domains:
  acme.example:
    prune: true
    aliases:
      sales: eve@corp.example
      info: ana@corp.example
      fax: { state: absent }
  quiet.example:
    aliases: { hello: ben@corp.example }
`;

const DOMAIN = {
  domain: 'acme.example',
  aliases: [
    { alias: 'sales', forward: 'dan@corp.example' },
    { alias: 'info', forward: 'ana@corp.example' },
    { alias: 'fax', forward: 'ben@corp.example' },
  ],
};
const QUIET = { domain: 'quiet.example', aliases: [{ alias: 'hello', forward: 'ana@corp.example' }] };

async function open(options: SceneOptions = {}): Promise<CommandScene> {
  return commandScene({ manifest: MANIFEST, seed: { domains: [DOMAIN, QUIET] }, ...options });
}

function deliver(scene: CommandScene, to: string, count = 1): void {
  for (let index = 0; index < count; index += 1) {
    const message = { to, from: 'secret-sender@x.example', subject: 'secret subject' };
    expect(scene.emulator.deliver(message).ok).toBe(true);
  }
}

/** Replays mail through the plan of a scene. Returns the document. */
async function weigh(
  scene: CommandScene,
  args: readonly string[] = [],
): Promise<PlanDocument & { readonly stderr: string }> {
  const { code, stdout, stderr } = await scene.run(['plan', '--replay', '7d', '--format', 'json', ...args]);
  expect(code, stderr).toBe(0);
  return { ...(JSON.parse(stdout) as PlanDocument), stderr };
}

function weights({ routes = [] }: PlanDocument): Readonly<Record<string, number | null | undefined>> {
  return Object.fromEntries(routes.map(({ address, domain, messages }) => [address ?? domain, messages]));
}

test.each(['v4', 'v3'] as const)('a plan is weighed with the mail of the logs (%s)', async (version) => {
  const scene = await open({ version });
  deliver(scene, 'sales@acme.example', 2);
  deliver(scene, 'Sales+x@acme.example');
  deliver(scene, 'info@acme.example', 4);
  deliver(scene, 'nobody@acme.example');
  deliver(scene, 'fax@acme.example');
  scene.clock.advance(60_000);
  const { stderr, ...document } = await weigh(scene);
  expect(weights(document)).toEqual({
    'sales@acme.example': 3,
    'fax@acme.example': 1,
    'hello@quiet.example': 0,
  });
  expect(document.replay).toEqual({
    since: new Date(scene.clock.now() - 7 * DAY).toISOString(),
    until: new Date(scene.clock.now()).toISOString(),
    complete: version === 'v4',
    messages: 9,
    changed: 4,
    unknown: 0,
  });
  expect(stderr).toMatch(/^reading the logs of 2 domains: at most 300 requests, which take up to .+\n$/m);
});

test('text, Markdown and GitHub say how much mail it is, the busiest first', async () => {
  const scene = await open();
  deliver(scene, 'sales@acme.example', 2);
  scene.clock.advance(60_000);
  const run = async (...args: readonly string[]): Promise<string> =>
    (await scene.run(['plan', '--replay', '7d', ...args])).stdout;
  expect(await run()).toContain(`whose mail changes:
  ~ sales@acme.example   dan@corp.example -> eve@corp.example  (2 messages)
  - fax@acme.example     ben@corp.example -> refused           (no mail)
  ~ hello@quiet.example  ana@corp.example -> ben@corp.example  (no mail)

2 of 2 messages of the last 7 days would be routed differently.
`);
  const markdown = await run('--format', 'markdown');
  expect(markdown).toContain('| domain | add | update | move | delete | unchanged | messages |');
  expect(markdown).toContain('| `acme.example` | 0 | 1 | 0 | 1 | 2 | 2 |');
  expect(markdown).toContain('2 of 2 messages of the last 7 days would be routed differently.');
  expect(await run('--format', 'github')).toContain('2 of 2 messages of the last 7 days');
  expect(await run('--summary')).toContain('2 of 2 messages of the last 7 days');
});

test('without --replay nothing of the logs is read or shown', async () => {
  const scene = await open();
  deliver(scene, 'sales@acme.example');
  const { stdout } = await scene.run(['plan', '--format', 'json']);
  expect(stdout).not.toContain('messages":');
  expect(scene.requests().filter(({ path }) => path.includes('/logs'))).toEqual([]);
});

test.each(['v4', 'v3'] as const)('a plan that moves no mail weighs nothing (%s)', async (version) => {
  const scene = await open({
    version,
    manifest: 'domains: { acme.example: { notification_email: ana@corp.example } }\n',
  });
  deliver(scene, 'sales@acme.example');
  const { replay } = await weigh(scene);
  expect(replay).toMatchObject({ messages: 0, changed: 0, unknown: 0 });
  expect(scene.requests().filter(({ path }) => path.includes('/logs'))).toEqual([]);
});

test('nothing of senders and subjects is printed, in any format', async () => {
  const scene = await open();
  deliver(scene, 'sales@acme.example', 3);
  scene.clock.advance(60_000);
  for (const format of ['text', 'json', 'markdown', 'github']) {
    const { stdout, stderr } = await scene.run(['plan', '--replay', '7d', '--format', format]);
    expect(stdout + stderr).not.toMatch(/secret/);
  }
});

test('a saved plan keeps the weights under its seal, and they are no part of what is approved', async () => {
  const scene = await open();
  deliver(scene, 'sales@acme.example');
  scene.clock.advance(60_000);
  expect((await scene.run(['plan', '--replay', '7d', '--out', 'plan.json'])).code).toBe(0);
  expect((await scene.run(['show', 'plan.json'])).stdout).toContain('1 of 1 message of the last 7 days');
  deliver(scene, 'sales@acme.example');
  const { code, stdout, stderr } = await scene.run(['apply', 'plan.json']);
  expect(code, stdout + stderr).toBe(0);
});

test.each([
  [['--replay', '7d', '--quick'], /--quick/],
  [['--limit-requests', '5'], /no effect without --replay/],
  [['--replay', 'week'], /not a duration/],
])('%s is wrong usage', async (args, why) => {
  const scene = await open();
  const { code, stderr } = await scene.run(['plan', ...args]);
  expect([code, stderr]).toEqual([64, expect.stringMatching(why)]);
});

/** 450 messages to one address, the newest a minute old: three pages. */
function seededMail(now: number): readonly SeedLog[] {
  return Array.from({ length: 450 }, (_, index) => ({
    sender: 'x@y.example',
    recipient: 'sales@acme.example',
    forward: 'dan@corp.example',
    created_at: now - 60_000 - index * 1000,
  }));
}

async function openBusy(version: 'v4' | 'v3' = 'v4'): Promise<CommandScene> {
  const logs = seededMail(Date.parse('2026-09-01T00:00:00Z'));
  return open({ version, seed: { domains: [{ ...DOMAIN, logs }, QUIET] } });
}

test.each(['v4', 'v3'] as const)('logs of several pages are read to their end (%s)', async (version) => {
  const { replay, ...document } = await weigh(await openBusy(version));
  expect(weights(document)['sales@acme.example']).toBe(450);
  expect(replay).toMatchObject({ complete: version === 'v4', messages: 450, changed: 450 });
});

test.each<[string, 'v4' | 'v3', Fault['do']]>([
  ['a page that shifts', 'v4', { kind: 'listing', shift: 5 }],
  ['a page that shifts', 'v3', { kind: 'listing', shift: 5 }],
  ['a page that fails', 'v4', { kind: 'status', code: 400, body: { error: 'no' } }],
  ['a key that may not read logs', 'v4', { kind: 'status', code: 403, body: { error: 'no' } }],
])('%s leaves no wrong number (%s)', async (_, version, action) => {
  const scene = await openBusy(version);
  deliver(scene, 'hello@quiet.example');
  scene.clock.advance(60_000);
  scene.emulator.faults.push({
    match: { endpoint: '/domains/:domain/logs', path: 'acme', nth: 2 },
    do: action,
  });
  const { replay, stderr, ...document } = await weigh(scene);
  expect(replay?.complete).toBe(false);
  expect(weights(document)).toEqual({
    'sales@acme.example': null,
    'fax@acme.example': null,
    'hello@quiet.example': 1,
  });
  expect(stderr).toMatch(/warning: the logs of acme\.example were not read to the end: /);
});

test('a page that repeats entries counts each once', async () => {
  const scene = await openBusy();
  const action = { kind: 'listing', shift: -5 } as const;
  scene.emulator.faults.push({
    match: { endpoint: '/domains/:domain/logs', path: 'acme', nth: 2 },
    do: action,
  });
  expect(weights(await weigh(scene))['sales@acme.example']).toBe(450);
});

test('a rate limit is waited for', async () => {
  const scene = await openBusy();
  scene.emulator.faults.push({
    match: { endpoint: '/domains/:domain/logs', nth: 2, times: 2 },
    do: { kind: 'status', code: 429, headers: { 'retry-after': '7' } },
  });
  const { replay } = await weigh(scene);
  expect(replay).toMatchObject({ complete: true, messages: 450 });
  expect(Math.max(...scene.clock.sleeps)).toBeGreaterThanOrEqual(7000);
});

test('reading ends at the number of requests, and says so', async () => {
  const scene = await openBusy();
  const { replay, stderr, ...document } = await weigh(scene, ['--limit-requests', '3']);
  expect(weights(document)).toEqual({
    'sales@acme.example': null,
    'fax@acme.example': null,
    'hello@quiet.example': null,
  });
  expect(replay).toMatchObject({ complete: false, messages: 400 });
  expect(stderr).toMatch(/no more than 3 requests may be sent/);
  expect(scene.requests().filter(({ path }) => path.includes('/logs'))).toHaveLength(3);
});

test('mail of longer ago than the account keeps is not complete', async () => {
  const scene = await openBusy();
  const { stdout } = await scene.run(['plan', '--replay', '91d', '--format', 'json']);
  expect((JSON.parse(stdout) as PlanDocument).replay).toMatchObject({ complete: false, changed: 450 });
  expect((await scene.run(['plan', '--replay', '91d'])).stdout).toMatch(/The logs\s+are\s+not\s+complete/);
});

test('interrupted while logs are read, the plan is shown without weights', async () => {
  const scene = await openBusy();
  const interruption = new AbortController();
  const { code, stdout, stderr } = await scene.run(['plan', '--replay', '7d', '--format', 'json'], {
    signal: interruption.signal,
    onError(text) {
      if (text.startsWith('reading the logs')) interruption.abort('SIGINT');
    },
  });
  const document = JSON.parse(stdout) as PlanDocument;
  expect([code, document.replay, document.changes.length]).toEqual([0, undefined, 3]);
  expect(stderr).toContain('interrupted: the plan is shown without counts');
});

test('with --domain, the logs of the other domains are not read', async () => {
  const scene = await open();
  deliver(scene, 'sales@acme.example');
  deliver(scene, 'hello@quiet.example', 2);
  scene.clock.advance(60_000);
  const { replay, ...document } = await weigh(scene, ['--domain', 'quiet.example']);
  expect(weights(document)).toEqual({ 'hello@quiet.example': 2 });
  expect(replay).toMatchObject({ complete: true, messages: 2, changed: 2 });
  expect(scene.requests().filter(({ path }) => /acme.*logs/.test(path))).toEqual([]);
});

test('with --against, the change since a revision is weighed', async () => {
  const scene = await open();
  const repository = await createRepository(scene.directory);
  await repository.commit({ 'fwdsync.yaml': `version: 1\n${MANIFEST}` });
  await scene.manifest(MANIFEST.replace('hello: ben@corp.example', 'hello: eve@corp.example'));
  deliver(scene, 'sales@acme.example');
  deliver(scene, 'hello@quiet.example', 2);
  scene.clock.advance(60_000);
  const { stdout, stderr } = await scene.run(
    ['plan', '--replay', '7d', '--against', 'HEAD', '--format', 'json'],
    { env: { ...GIT_ENV, PATH: process.env['PATH'] ?? '' } },
  );
  expect(stdout, stderr).not.toBe('');
  const document = JSON.parse(stdout) as PlanDocument;
  expect(weights(document)).toEqual({ 'hello@quiet.example': 2 });
  expect(document.replay).toMatchObject({ messages: 2, changed: 2 });
});

test('with --accounts, each plan is weighed with the mail of its account', async () => {
  const { acme, beta, directory, env } = await openTwoAccounts();
  for (const [emulator, to] of [
    [acme, 'sales@acme.example'],
    [acme, 'sales@acme.example'],
    [beta, 'sales@beta.example'],
  ] as const)
    emulator.deliver({ to, from: 'x@y.example', subject: '' });
  const scene = await commandScene();
  // Both services have the time of this machine.
  scene.clock.advance(Date.now() + 60_000 - scene.clock.now());
  const { code, stdout, stderr } = await scene.run(
    ['plan', '--replay', '7d', '--accounts', join(directory, 'many'), '--format', 'json'],
    { env: { ...env, FWDSYNC_API_URL: '', FWDSYNC_ACCOUNT: '' } },
  );
  expect(code, stderr).toBe(0);
  const { accounts } = JSON.parse(stdout) as { accounts: readonly { document: PlanDocument }[] };
  expect(accounts.map(({ document }) => document.replay?.messages)).toEqual([2, 1]);
});

test('completion knows --replay and --limit-requests', async () => {
  const scene = await open();
  const { stdout } = await scene.run(['completion', 'words', '--', '2', 'fwdsync', 'plan', '--r']);
  expect(stdout).toMatch(/^--replay\t/m);
  expect(stdout).toMatch(/^--limit-requests\t.*default: 300$/m);
});
