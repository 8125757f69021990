import { describe, expect, test } from 'vitest';
import verifySchema from '../../../schemas/verify.v1.schema.json' with { type: 'json' };
import { commandScene, type CommandScene } from '../support/scene.ts';
import { expectSchema } from '../support/schema.ts';

const DOMAINS = [
  { domain: 'acme.example', dns: 'valid' as const },
  { domain: 'new.example', forwarding_ready: false, send_ready: false },
];

const CHECKS = {
  v4: (domain: string) => `POST /domains/${domain}/verify`,
  v3: (domain: string) => `GET /domains/${domain}/check`,
};

describe.each(['v4', 'v3'] as const)('verify through %s', (version) => {
  const open = (): Promise<CommandScene> => commandScene({ version, seed: { domains: DOMAINS } });

  test('0: a domain that is ready', async () => {
    const { code, stdout } = await (await open()).run(['verify', 'acme.example']);
    expect([code, stdout]).toEqual([0, '; acme.example: ready\n']);
  });

  test('2: of one that is not, the missing records as lines of a zone file', async () => {
    const { code, stdout } = await (await open()).run(['verify', 'new.example']);
    expect(stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      '; new.example: not ready (mx, spf, dkim1, dkim2, dmarc missing or wrong): The MX records do not point to the service.',
      '; keep the other TXT records of new.example.',
      'new.example. IN MX 10 mx1.improvmx.com.',
      'new.example. IN MX 20 mx2.improvmx.com.',
      'new.example. IN TXT "v=spf1 include:spf.improvmx.com ~all"',
      'dkimprovmx1._domainkey.new.example. IN CNAME dkimprovmx1.improvmx.com.',
      'dkimprovmx2._domainkey.new.example. IN CNAME dkimprovmx2.improvmx.com.',
      '_dmarc.new.example. IN TXT "v=DMARC1; p=none;"',
      '',
    ]);
    expect(code).toBe(2);
  });

  test('2: the same records for DNSControl, where everything else is a comment', async () => {
    const { code, stdout } = await (await open()).run(['verify', '--format', 'dnscontrol']);
    expect(stdout).toMatch(
      /^\/\/ acme\.example: ready\n\/\/ new\.example: not ready .*\n\/\/ .*\nD_EXTEND\("new\.example",\n/,
    );
    expect(code).toBe(2);
  });

  test('without names all domains of the account are verified; the document matches its schema', async () => {
    const scene = await open();
    const { code, stdout } = await scene.run(['verify', '--format', 'json']);
    const document = expectSchema(verifySchema, stdout);
    expect(document).toMatchObject({ summary: { ready: 1, notReady: 1, failed: 0 } });
    expect(code).toBe(2);
    const asked = scene.requests().filter(({ path }) => /\/(verify|check)$/.test(path));
    expect(asked.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      DOMAINS.map(({ domain }) => CHECKS[version](domain)),
    );
  });

  test('1: one that the account does not have, and the others are shown all the same', async () => {
    const scene = await open();
    const { code, stdout } = await scene.run(['verify', 'acme.example', 'other.example']);
    expect(stdout).toContain('; acme.example: ready\n; other.example: could not be verified: ');
    expect(code).toBe(1);
  });

  test('64: what is no domain, before anything is requested', async () => {
    const scene = await open();
    const { code } = await scene.run(['verify', 'acme']);
    expect([code, scene.requests()]).toEqual([64, []]);
  });

  test('1: a wrong key', async () => {
    const scene = await open();
    const { code, stderr } = await scene.run(['verify'], { env: { FWDSYNC_API_KEY: 'wrong-key-value' } });
    expect(stderr).toContain('401');
    expect(code).toBe(1);
  });
});

describe.each(['v4', 'v3'] as const)('verify: true through %s', (version) => {
  const manifest = 'domains:\n  new.example: { verify: true, aliases: { info: a@corp.example } }\n';
  const HOUR = 3_600_000;

  function open(): Promise<CommandScene> {
    return commandScene({ version, seed: { domains: DOMAINS }, manifest });
  }

  /** Number of checks by the service in one apply. */
  async function verifications(scene: CommandScene): Promise<number> {
    scene.emulator.journal.clear();
    const { code } = await scene.run(['apply', '--yes']);
    expect(code).toBe(0);
    return scene.requests().filter(({ path }) => /\/(verify|check)$/.test(path)).length;
  }

  test('is carried out after the writes, says what is missing, and leaves the run converged', async () => {
    const scene = await open();
    const { code, stdout } = await scene.run(['apply', '--yes']);
    expect(stdout).toContain('note: new.example is not ready');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('mx, spf, dkim1, dkim2, dmarc');
    expect(stdout).toContain('converged: 1 added');
    expect(code).toBe(0);
    const last = scene.writes().findLast(({ path }) => path.includes('/aliases'));
    const asked = scene.requests().find(({ path }) => /\/(verify|check)$/.test(path));
    expect(asked?.number).toBeGreaterThan(last?.number ?? Infinity);
  });

  test('asks again after an hour, then after twice as long each time, up to a day', async () => {
    const scene = await open();
    expect(await verifications(scene)).toBe(1);
    for (const hours of [1, 2, 4, 8, 16, 24, 24]) {
      scene.clock.advance(hours * HOUR - 60_000);
      expect([hours, await verifications(scene)]).toEqual([hours, 0]);
      scene.clock.advance(120_000);
      expect([hours, await verifications(scene)]).toEqual([hours, 1]);
    }
  });

  test('is not asked of a domain that says it is ready, nor where the manifest does not want it', async () => {
    const scene = await open();
    await scene.manifest(
      'domains:\n  acme.example: { verify: true }\n  new.example: { aliases: { info: a@corp.example } }\n',
    );
    // v3 does not show whether a domain can send.
    expect(await verifications(scene)).toBe(version === 'v4' ? 0 : 1);
  });

  test('a failure of it is a note', async () => {
    const scene = await open();
    scene.emulator.faults.push({
      match: { path: '/(verify|check)$', times: 'always' },
      do: { kind: 'status', code: 400 },
    });
    const { code, stdout } = await scene.run(['apply', '--yes']);
    expect(stdout).toContain('note: new.example could not be verified');
    expect(code).toBe(0);
  });

  test('a key that is not accepted any more ends it, and what is left waits', async () => {
    const domains = Array.from({ length: 150 }, (_, index) => ({
      domain: `d${index}.example`,
      send_ready: false,
    }));
    const scene = await commandScene({
      version,
      seed: { domains },
      manifest: `domains:\n${domains.map(({ domain }) => `  ${domain}: { verify: true }\n`).join('')}`,
    });
    const asked = (): number => scene.requests().filter(({ path }) => /\/(verify|check)$/.test(path)).length;
    scene.emulator.faults.push({
      match: { path: '/(verify|check)$', times: 'always' },
      do: { kind: 'status', code: 401 },
    });
    expect((await scene.run(['apply', '--yes'])).code).toBe(0);
    expect(asked()).toBeLessThanOrEqual(8);
    scene.emulator.faults.clear();
    scene.emulator.journal.clear();
    const { stdout } = await scene.run(['apply', '--yes']);
    expect(asked()).toBe(100);
    expect(stdout).toMatch(/note: 4\d more domains are verified by the next run/);
  });
});
