import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ACME, APPLIED, startMove, VIRTUAL } from './support/moving.ts';

/** A manifest without test mail. */
const MANIFEST = `domains:
  acme.example:
    aliases:
      info: [ana@corp.example, ben@corp.example]
      sales: ana@corp.example
`;

describe('errors that end move early', () => {
  test.each<[string, readonly string[], number, string]>([
    ['another domain', ['other.example'], 64, 'the manifest does not name other.example'],
    ['no domain', ['not a domain'], 64, 'error:'],
    ['a resolver by name', [ACME, '--resolver', 'dns.example'], 64, 'is not the address of a resolver'],
    ['a file about another domain', [ACME, '--from', 'postfix:other'], 64, 'no line is about acme.example'],
    ['a file that is broken', [ACME, '--from', 'cloudflare:virtual'], 5, 'virtual:1'],
    ['no file', [ACME, '--from', 'postfix:missing'], 1, 'missing'],
    ['a key that is refused', [ACME], 1, '401'],
  ])('%s', async (what, args, code, words) => {
    const { scene } = await startMove({ manifest: MANIFEST });
    await writeFile(join(scene.directory, 'other'), 'a@other.example b@corp.example\n');
    const env = what === 'a key that is refused' ? { FWDSYNC_API_KEY: 'wrong' } : {};
    const ended = await scene.run(['move', ...args], { env });
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(words)]);
  });

  test('nothing that answers', async () => {
    const { scene, dns, move } = await startMove({ manifest: MANIFEST });
    dns.recursive.fault = 'silent';
    for (const [method, path] of [
      ['GET', 'domains/acme.example'],
      ['POST', 'domains/acme.example/verify'],
    ] as const)
      scene.emulator.faults.push({
        match: { method, path, times: 'always' },
        do: { kind: 'status', code: 400 },
      });
    expect((await move()).code).toBe(1);
  });
});

test('differences are listed by line, and mailboxes until the manifest names them', async () => {
  const { scene, move } = await startMove({ manifest: MANIFEST });
  const more =
    'sales@acme.example wrong@corp.example\nboss@acme.example boss@acme.example\nnew@acme.example n@corp.example\n';
  await writeFile(join(scene.directory, 'virtual'), VIRTUAL.replace(/^sales.*\n/m, '') + more);
  const { evidence } = (await move('--from', 'postfix:virtual')).gate('inventory');
  expect(evidence).toEqual([
    '3 of 4 addresses and patterns would get other destinations',
    'virtual:3:1: sales@acme.example goes to wrong@corp.example in the old system, and goes to ana@corp.example in the manifest',
    'virtual:5:1: new@acme.example goes to n@corp.example in the old system, and is refused in the manifest',
    expect.stringMatching(
      /^virtual:4:\d+: boss@acme\.example: its mail goes to a mailbox of the old system$/,
    ),
  ]);
  await scene.manifest(`${MANIFEST}      boss: boss@corp.example\n`);
  const named = (await move('--from', 'postfix:virtual')).gate('inventory').evidence;
  expect(named.at(-1)).toContain('the manifest names it');
});

test('the text shows 20 lines of a gate, and JSON shows all', async () => {
  const { scene, dns, move } = await startMove({ manifest: MANIFEST });
  const lines = Array.from({ length: 30 }, (_, index) => `a${index}@acme.example a${index}@acme.example\n`);
  await writeFile(join(scene.directory, 'virtual'), `acme.example x\n${lines.join('')}`);
  const from = ['--from', 'postfix:virtual'];
  expect((await move(...from)).gate('inventory').evidence.length).toBe(31);
  const { stdout } = await scene.run(['move', ACME, ...from, '--resolver', dns.resolver]);
  const inventory = stdout.slice(0, stdout.indexOf('  account'));
  expect(inventory).toContain(
    'a18@acme.example: its mail goes to a mailbox of the old system\n           and 11 more: --format json lists all\n           do: change the manifest',
  );
  expect(inventory).not.toContain('a19@');
});

test('--mask hides local parts', async () => {
  const { scene, dns } = await startMove({ manifest: MANIFEST, seed: { domains: [APPLIED] } });
  await writeFile(
    join(scene.directory, 'virtual'),
    'acme.example x\nsales@acme.example wrong@corp.example\n',
  );
  const args = ['move', ACME, '--from', 'postfix:virtual', '--resolver', dns.resolver, '--mask'];
  const { stdout } = await scene.run(args);
  expect(stdout).not.toMatch(/wrong@|ana@|sales@/);
  expect(stdout).toContain('@corp.example in the old system');
});

test('the SPF record to set keeps all terms that the zone has', async () => {
  const { dns, move } = await startMove({ manifest: MANIFEST });
  dns.put(ACME, 'TXT', ['v=spf1 ip4:192.0.2.1 mx -all', 'other']);
  expect((await move()).gate('sending').todo).toContain(
    'acme.example.                            IN TXT   "v=spf1 ip4:192.0.2.1 mx include:spf.improvmx.com -all"',
  );
});
