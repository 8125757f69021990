import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deliverMessage } from '../../src/emulator/delivery/delivery.ts';
import { commandScene, OWNER } from '../cli/support/scene.ts';
import { searchIn, type Found } from '../support/search.ts';

/** Local parts of destinations, of the manifest, of the account, and in mail: no secrets, but private. */
const PRIVATE = {
  wanted: 'w4nted.person+home',
  live: 'l1ve.person+work',
  ofRule: 'r0le.person',
  notified: 'n0tified.person',
  capture: 'c4pture.person',
};

const MANIFEST = `defaults: { notification_email: ${PRIVATE.notified}@corp.example }
domains:
  acme.example:
    verify: true
    prune: { aliases: true }
    aliases:
      sales: ${PRIVATE.wanted}@corp.example
      info: [${PRIVATE.wanted}@corp.example, https://hooks.corp.example/x]
      "team-([a-z]+)": $1+${PRIVATE.capture}@corp.example
    rules:
      - { name: vip, alias: vip, forward: ${PRIVATE.ofRule}@corp.example }
    expect:
      - { to: sales@acme.example, forward: ${PRIVATE.wanted}@corp.example }
`;

const SEED = {
  domains: [
    {
      domain: 'acme.example',
      routing_engine: 'rules' as const,
      rules_fallback_email: `${PRIVATE.live}@corp.example`,
      forwarding_ready: false,
      aliases: [
        { alias: 'sales', forward: `${PRIVATE.live}@corp.example` },
        { alias: 'old', forward: `${PRIVATE.live}@corp.example,${PRIVATE.live}@other.example` },
      ],
      rules: [{ type: 'alias' as const, config: { alias: 'vip', forward: `${PRIVATE.live}@corp.example` } }],
    },
  ],
};

test.each(['v4', 'v3'] as const)(
  '--mask: no local part of a destination is in any output, through %s',
  { timeout: 60_000 },
  async (version) => {
    const scene = await commandScene({ version, seed: SEED, manifest: MANIFEST });
    const printed: Found[] = [];
    const run = async (...args: readonly string[]): Promise<number> => {
      const { code, stdout, stderr } = await scene.run([...args, '--mask']);
      printed.push({ where: args.join(' '), text: stdout + stderr });
      return code;
    };
    expect(await run('validate')).toBe(0);
    for (const format of ['text', 'json', 'markdown', 'github']) {
      expect(await run('plan', '--format', format)).toBe(0);
    }
    expect(await run('plan', '--out', 'plan.json')).toBe(0);
    printed.push({ where: 'plan.json', text: await readFile(join(scene.directory, 'plan.json'), 'utf8') });
    expect((await scene.run(['show', 'plan.json'])).code).toBe(0);
    // A batch that is refused goes on one by one.
    for (const endpoint of ['/domains/:domain/aliases/batch', '/domains/:domain/aliases'])
      scene.emulator.faults.push({
        match: { method: 'POST', endpoint, times: 'always' },
        do: { kind: 'status', code: 400, body: { message: `no ${PRIVATE.wanted}@corp.example`, errors: {} } },
      });
    expect(await run('apply', '--yes', '--log-level', 'trace')).toBe(3);
    scene.emulator.faults.clear();
    expect(await run('apply', '--yes', '--format', 'json')).toBe(0);
    expect(await run('run', '--once', '--log-level', 'trace')).toBe(0);
    const { store } = scene.emulator;
    deliverMessage(store.state, { to: 'vip@acme.example', from: 'x@home.example', outcome: 'BOUNCED' });
    const subject = `for ${PRIVATE.ofRule}@corp.example`;
    deliverMessage(store.state, {
      to: 'vip@acme.example',
      from: `${PRIVATE.live}@home.example`,
      subject,
      outcome: 'BOUNCED',
    });
    for (const format of ['text', 'json']) {
      expect(await run('logs', 'acme.example', '--format', format)).toBe(0);
      expect(await run('route', 'sales@acme.example', '--format', format)).toBe(0);
      expect(await run('route', 'vip@acme.example', '--live', '--format', format)).toBe(0);
      for (const found of ['wanted', 'live', 'ofRule', 'notified'] as const) {
        expect(await run('who', `${PRIVATE[found]}@corp.example`, '--format', format)).toBe(0);
        expect(await run('who', `${PRIVATE[found]}@corp.example`, '--live', '--format', format)).toBe(0);
      }
      for (const name of ['sales', 'vip', 'team-a', 'nobody']) {
        expect(await run('why', `${name}@acme.example`, '--format', format)).toBe(2);
      }
      expect(await run('delivery', '--format', format)).toBe(0);
      for (const [command, code] of [
        ['verify', 2],
        ['account', 0],
      ] as const) {
        const shown = await scene.run([command, '--format', format], { env: { FWDSYNC_MASK: '1' } });
        expect(shown.code).toBe(code);
        printed.push({ where: command, text: shown.stdout + shown.stderr });
      }
    }
    await scene.manifest(MANIFEST.replace(`forward: ${PRIVATE.wanted}@corp.example }`, 'forward: discard }'));
    expect(await run('validate')).toBe(5);
    await scene.manifest(MANIFEST.replace(`sales: ${PRIVATE.wanted}@`, `sales: ${PRIVATE.wanted}@@`));
    for (const format of ['text', 'json', 'github', 'sarif', 'junit']) {
      expect(await run('validate', '--format', format)).toBe(5);
    }
    expect(printed.flatMap((found) => searchIn(found, PRIVATE))).toEqual([]);
  },
);

test.each(['v4', 'v3'] as const)('show masks a plan that was saved in clear, through %s', async (version) => {
  const webhook = version === 'v3' ? '    webhook: https://hooks.corp.example/s3cret-path\n' : '';
  const manifest = MANIFEST.replace('    verify: true\n', `    verify: true\n${webhook}`);
  const scene = await commandScene({ version, seed: SEED, manifest });
  expect((await scene.run(['plan', '--out', 'plan.json'])).code).toBe(0);
  const saved = await readFile(join(scene.directory, 'plan.json'), 'utf8');
  expect(searchIn({ where: '', text: saved }, PRIVATE)).not.toEqual([]);
  for (const format of ['text', 'json', 'markdown', 'github']) {
    const line = ['show', 'plan.json', '--format', format];
    const byFlag = await scene.run([...line, '--mask']);
    const byVariable = await scene.run(line, { env: { FWDSYNC_MASK: 'true' } });
    expect([byFlag.code, byVariable.code, byVariable.stdout]).toEqual([0, 0, byFlag.stdout]);
    if (format !== 'github') expect(byFlag.stdout).toMatch(/\*{3}\d@corp.example/);
    expect(byFlag.stdout).not.toContain('s3cret-path');
    expect(searchIn({ where: format, text: byFlag.stdout }, PRIVATE)).toEqual([]);
  }
  expect((await scene.run(['plan', '--mask', '--out', 'masked.json'])).code).toBe(0);
  const [shown, again] = [
    await scene.run(['show', 'masked.json']),
    await scene.run(['show', 'masked.json', '--mask']),
  ];
  expect(again.stdout).toBe(shown.stdout);
});

test('show masks the plans of many accounts, and publish what it says of a manifest', async () => {
  const scene = await commandScene({ seed: SEED });
  await mkdir(join(scene.directory, 'accounts'));
  const text = `version: 1\napi: { account: ${OWNER}, key: { env: FWDSYNC_API_KEY } }\n${MANIFEST}`;
  await writeFile(join(scene.directory, 'accounts', 'one.yaml'), text);
  expect((await scene.run(['plan', '--accounts', 'accounts', '--out', 'plans.json'])).code).toBe(0);
  const shown = await scene.run(['show', 'plans.json', '--mask']);
  expect([shown.code, searchIn({ where: 'show', text: shown.stdout }, PRIVATE)]).toEqual([0, []]);
  await writeFile(join(scene.directory, 'accounts', 'one.yaml'), text.replace('sales: ', 'sales: @'));
  const store = 'postgres://ana@127.0.0.1:1/fwdsync';
  const refused = await scene.run(['publish', '--accounts', 'accounts', '--store', store, '--mask']);
  expect([refused.code, searchIn({ where: 'publish', text: refused.stderr }, PRIVATE)]).toEqual([5, []]);
});
