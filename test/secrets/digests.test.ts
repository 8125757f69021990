import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandScene } from '../cli/support/scene.ts';
import { filesBelow } from '../support/search.ts';

const MANIFEST = 'domains: { acme.example: { aliases: { boss: { env: BOSS } } } }\n';
const DIGEST = /"(?:digest|settled|plan)": ?"sha256:([0-9a-f]{64})"/g;

/** Every digest that a plan and an apply print, save and remember, of one account and manifest. */
async function digestsUnder(apiKey: string, boss: string): Promise<readonly string[]> {
  const scene = await commandScene({ manifest: MANIFEST, server: { apiKey } });
  const env = { FWDSYNC_API_KEY: apiKey, FWDSYNC_API_URL: scene.env['FWDSYNC_API_URL'] ?? '', BOSS: boss };
  const { stdout } = await scene.run(['plan', '--out', 'plan.json', '--format', 'json'], { env });
  expect(await readFile(join(scene.directory, 'plan.json'), 'utf8')).toBe(stdout);
  const applied = await scene.run(['apply', 'plan.json', '--format', 'json'], { env });
  expect(applied.code).toBe(0);
  const files = await filesBelow(join(scene.directory, 'state'), []);
  const texts = [stdout, applied.stdout, ...files.map(({ text }) => text)];
  // The address of an emulator is another one each time, and counts in the digest of a plan.
  const address = new URL(env.FWDSYNC_API_URL).host;
  expect(texts.join('')).toContain(address);
  return [...new Set(texts.flatMap((text) => [...text.matchAll(DIGEST)].map(([, digest = '']) => digest)))];
}

test('values of references cannot be tried against a digest without the key', async () => {
  const digests = await digestsUnder('the-key-of-one-account', 'boss@corp.example');
  // Digests of the plan, of the manifest, and of a domain in place.
  expect(digests.length).toBe(3);
  const again = await digestsUnder('the-key-of-one-account', 'boss@corp.example');
  const other = await digestsUnder('the-key-of-another', 'boss@corp.example');
  const changed = await digestsUnder('the-key-of-one-account', 'other@corp.example');
  const shared = (others: readonly string[]): number =>
    digests.filter((digest) => others.includes(digest)).length;
  // All but the one of the plan, in which the address stands.
  expect(shared(again)).toBe(2);
  expect(shared(other)).toBe(0);
  expect(shared(changed)).toBe(0);
});
