import { describe, expect, test } from 'vitest';
import type { DeliveryDocument } from '../../../../src/service/delivery/document.ts';
import { deliver } from '../../support/deliver.ts';
import { commandScene, type CommandScene, type SceneOptions } from '../../support/scene.ts';

const ALIASES = [
  { alias: 'sales', forward: 'carol@corp.example,dave@corp.example' },
  { alias: 'boss', forward: 'boss@private.example' },
  { alias: 'spam', forward: 'null' },
  { alias: '(info|office)', forward: 'ben@corp.example' },
];
const SEED = { domains: [{ domain: 'acme.example', aliases: ALIASES }] };
const MANIFEST = `domains:
  acme.example:
    prune: true
    aliases:
      sales: [carol@corp.example, dave@corp.example]
      boss: { env: BOSS }
      spam: discard
      fax: { state: absent }
      (info|office): ben@corp.example
`;
const ENV = { BOSS: 'boss@private.example' };
const MINUTE = 60_000;

async function open(options: SceneOptions = {}): Promise<CommandScene> {
  return commandScene({ seed: SEED, manifest: MANIFEST, ...options });
}

async function documentOf(
  scene: CommandScene,
  args: readonly string[] = [],
): Promise<{ readonly code: number; readonly document: DeliveryDocument }> {
  const { code, stdout, stderr } = await scene.run(['delivery', ...args, '--format', 'json'], { env: ENV });
  if (stdout === '') throw new Error(stderr);
  return { code, document: JSON.parse(stdout) as DeliveryDocument };
}

describe.each(['v4', 'v3'] as const)('delivery through %s', (version) => {
  test('counts each message by its last event, for each destination, with the line that sent it there', async () => {
    const scene = await open({ version });
    deliver(scene, { to: 'sales@acme.example', outcomes: { 'carol@corp.example': 'HARD-BOUNCE' } });
    deliver(scene, { to: 'sales+x@acme.example', outcome: ['QUEUED', 'SOFT-BOUNCE', 'DELIVERED'] });
    deliver(scene, { to: 'Sales@acme.example', outcomes: { 'carol@corp.example': 'BOUNCED' } });
    deliver(scene, { to: 'boss@acme.example', outcome: ['QUEUED', 'SOFT-BOUNCE', 'SOFT-BOUNCE'] });
    deliver(scene, { to: 'office@acme.example' });
    deliver(scene, { to: 'spam@acme.example' });
    deliver(scene, { to: 'fax@acme.example' });
    deliver(scene, { to: 'nobody@acme.example' });
    const { code, document } = await documentOf(scene);
    const shown = document.rows.map(
      ({ alias, destination, delivered, refused, soft, hard, lastError, source }) => [
        alias,
        destination,
        [delivered, refused, soft, hard],
        lastError?.code ?? null,
        source?.line,
      ],
    );
    expect(shown).toEqual([
      ['sales', 'carol@corp.example', [1, 0, 0, 2], 554, 6],
      ['fax', null, [0, 1, 0, 0], 550, 9],
      ['boss', '{ env: BOSS }', [0, 0, 1, 0], 451, 7],
      ['(info|office)', 'ben@corp.example', [1, 0, 0, 0], null, 10],
      ['sales', 'dave@corp.example', [3, 0, 0, 0], null, 6],
    ]);
    expect(document).toMatchObject({
      complete: true,
      summary: { delivered: 5, refused: 1, soft: 1, hard: 2, failing: 0, healthy: 2 },
      domains: [{ domain: 'acme.example', unknownNames: 1, open: 1, failure: null }],
    });
    expect(document.domains[0]?.readAt).toMatch(/Z$/);
    expect(code).toBe(0);
  });

  test('ends with 2 once so many fail within the time, of the fates that are asked for', async () => {
    const scene = await open({ version });
    for (let index = 0; index < 3; index += 1) {
      deliver(scene, { to: 'sales@acme.example', outcomes: { 'carol@corp.example': 'HARD-BOUNCE' } });
      deliver(scene, { to: 'fax@acme.example' });
    }
    const { code, document } = await documentOf(scene);
    expect([code, document.rows.map(({ alias, failing }) => [alias, failing])]).toEqual([
      2,
      [
        ['sales', true],
        ['fax', false],
        ['sales', false],
      ],
    ]);
    const refused = await documentOf(scene, ['--fail-on', 'refused']);
    expect(refused.document.rows.filter(({ failing }) => failing).map(({ alias }) => alias)).toEqual(['fax']);
    await scene.manifest(MANIFEST.replace('prune: true', 'prune: true\n    delivery: { within: 3m }'));
    expect((await documentOf(scene)).code).toBe(0);
    await scene.manifest(
      MANIFEST.replace('prune: true', 'prune: true\n    delivery: { after: 2, within: 3m }'),
    );
    expect((await documentOf(scene)).code).toBe(2);
    await scene.manifest(MANIFEST.replace('prune: true', 'prune: true\n    delivery: off'));
    expect((await documentOf(scene, ['--fail-on', 'refused,soft,hard'])).code).toBe(0);
  });

  test('reads back to --since only, and says where the requests or the retention was not enough', async () => {
    const scene = await open({ version });
    for (let index = 0; index < 450; index += 1) deliver(scene, { to: 'sales@acme.example' });
    const hours = await documentOf(scene, ['--since', '1h']);
    expect(hours.document.summary.delivered).toBe(2 * 60);
    expect(hours.document.complete).toBe(true);
    const before = scene.requests().length;
    const cut = await documentOf(scene, ['--limit-requests', '3']);
    expect(scene.requests().length - before).toBe(3);
    expect(cut.document).toMatchObject({ complete: false, domains: [{ readAt: null, failure: null }] });
    expect(cut.document.notices).toEqual(['--limit-requests was reached; not read to the end: 1 domain']);
    expect(cut.code).toBe(0);
    const long = await documentOf(scene, ['--since', '400d']);
    expect(long.document.complete).toBe(version === 'v3');
    expect(long.document.summary.delivered).toBe(900);
  });

  test('names the senders of what failed, five at most and the newest first', async () => {
    const scene = await open({ version });
    const send = (from: string, outcome: 'DELIVERED' | 'SOFT-BOUNCE' | 'HARD-BOUNCE'): void =>
      deliver(scene, { to: 'office@acme.example', from, outcome });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) send(`${name}@home.example`, 'HARD-BOUNCE');
    send('fine@home.example', 'DELIVERED');
    send('C@home.example', 'SOFT-BOUNCE');
    const { document } = await documentOf(scene);
    const senders = ['c', 'f', 'e', 'd', 'b'].map((name) => `${name}@home.example`);
    expect(document.rows.map((row) => row.senders)).toEqual([senders]);
    const { stdout } = await scene.run(['delivery'], { env: ENV });
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(` from ${senders.join(', ')}`);
    const masked = await scene.run(['delivery', '--mask'], { env: ENV });
    expect(masked.stdout).not.toMatch(/[cfedb]@home/i);
  });

  test('replies of destinations are made safe', async () => {
    const message =
      'user <BOSS@Private.example> \u001B[31munknown <!channel> @here [x](http://evil.example) dave@corp.example';
    const log = {
      sender: 'a@b.example',
      recipient: 'boss@acme.example',
      forward: 'boss@private.example',
      created_at: '2026-08-31T23:00:00Z',
      events: ['QUEUED' as const, { status: 'HARD-BOUNCE' as const, code: 550, message }],
    };
    const scene = await open({ version, seed: { domains: [{ ...SEED.domains[0]!, logs: [log] }] } });
    const { stdout } = await scene.run(['delivery', '--mask'], { env: ENV });
    expect(stdout.replace('->', '')).not.toMatch(/private\.example|[\u001B<>[\]]|@here|dave@/i);
    expect(stdout).toContain('***1@corp.example');
    expect(stdout).toContain(
      '550 user ‹{ env: BOSS }› \\u001b［31munknown ‹!channel› ＠here ［x］(http://evil.example)',
    );
    expect(stdout).toContain('boss@acme.example -> { env: BOSS }');
  });
});

test('a domain that the manifest does not name, or wants to delete, is wrong usage', async () => {
  const scene = await open({ manifest: `${MANIFEST}  old.example: { state: absent }\n` });
  for (const domain of ['acme.exampel', 'old.example', 'acme example']) {
    const { code, stderr } = await scene.run(['delivery', domain], { env: ENV });
    expect([code, stderr.includes(domain)]).toEqual([64, true]);
  }
  const { code, stderr } = await scene.run(['delivery', 'sales@acme.example'], { env: ENV });
  expect([code, stderr]).toEqual([
    64,
    `error: "sales@acme.example" is an address, not a domain\n  try: ask why mail to it did not arrive: \`fwdsync why sales@acme.example -f ${scene.directory}/fwdsync.yaml\`\n`,
  ]);
  expect(scene.requests()).toEqual([]);
  expect((await scene.run(['delivery', '--fail-on', 'late'], { env: ENV })).code).toBe(64);
});

test('the names that only the account has are found there, and no list of aliases is read without need', async () => {
  const manifest = MANIFEST.replace('prune: true', 'prune: false');
  const scene = await open({ manifest });
  deliver(scene, { to: 'live@acme.example' });
  scene.emulator.store.replace({
    ...scene.emulator.store.dump(),
    domains: [
      {
        ...scene.emulator.store.dump().domains![0]!,
        aliases: [...ALIASES, { alias: 'live', forward: 'x@y.example' }],
      },
    ],
  });
  const { document } = await documentOf(scene);
  expect(document.rows.map(({ alias, refused, source }) => [alias, refused, source?.line])).toEqual([
    ['live', 1, 5],
  ]);
  expect(document.domains[0]?.unknownNames).toBe(0);
  await scene.manifest(MANIFEST);
  const before = scene.requests().length;
  expect((await documentOf(scene)).document.domains[0]?.unknownNames).toBe(1);
  expect(
    scene
      .requests()
      .slice(before)
      .map(({ path }) => path),
  ).not.toContain('/domains/acme.example/aliases');
});

test('a domain whose logs cannot be read ends with 1, and the others are shown', async () => {
  const scene = await open();
  deliver(scene, { to: 'office@acme.example' });
  scene.emulator.faults.push({
    match: { method: 'GET', endpoint: '/domains/:domain/logs' },
    do: { kind: 'status', code: 400 },
  });
  const { code, document } = await documentOf(scene);
  expect([code, document.complete, document.domains[0]?.readAt]).toEqual([1, false, null]);
  expect(document.domains[0]?.failure).toContain('GET /domains/:domain/logs');
});

describe('attribution of mail to the entries at the time of its receipt', () => {
  const WIDE = MANIFEST.replace('sales: [carol', '(sales|orders): [carol');
  const NARROW = MANIFEST.replace('sales: [carol', '(sales): [carol');

  test('a name that an alias lost is listed with the line of the alias that was narrowed', async () => {
    const scene = await open({ manifest: WIDE });
    const apply = (): ReturnType<CommandScene['run']> => scene.run(['apply', '--yes'], { env: ENV });
    expect((await apply()).code).toBe(0);
    deliver(scene, { to: 'orders@acme.example' });
    scene.clock.advance(MINUTE);
    await scene.manifest(NARROW);
    expect((await apply()).stderr + (await apply()).stdout).not.toContain('error');
    deliver(scene, { to: 'orders@acme.example' });
    deliver(scene, { to: 'nobody@acme.example' });
    const { document } = await documentOf(scene);
    const rows = document.rows.map(({ alias, destination, delivered, refused, source }) => {
      return [alias, destination, delivered, refused, source?.line];
    });
    expect(rows).toEqual([
      ['orders', null, 0, 1, 6],
      ['(sales|orders)', 'carol@corp.example', 1, 0, undefined],
      ['(sales|orders)', 'dave@corp.example', 1, 0, undefined],
    ]);
    expect(document.domains[0]?.unknownNames).toBe(1);
  });
});
