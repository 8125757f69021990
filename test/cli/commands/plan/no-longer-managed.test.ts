import { expect, test } from 'vitest';
import { commandScene } from '../../support/scene.ts';

const ACME = '  acme.example: { aliases: { info: ana@corp.example } }\n';

test('a domain that is taken out of the manifest is said in every plan, until it is deleted', async () => {
  const scene = await commandScene({
    seed: { domains: [{ domain: 'acme.example' }, { domain: 'gone.example' }] },
    manifest: `domains:\n${ACME}  gone.example: { aliases: { x: x@corp.example } }\n`,
  });
  const said = async (words: readonly string[]): Promise<boolean> => {
    const { stdout } = await scene.run(words);
    return stdout.includes('domain gone.example is no longer in the manifest');
  };
  expect(await said(['apply', '--yes'])).toBe(false);
  await scene.manifest(`domains:\n${ACME}`);
  expect(await said(['plan'])).toBe(true);
  expect(await said(['apply', '--yes'])).toBe(true);
  expect(await said(['plan'])).toBe(true);
  await scene.manifest(`domains:\n${ACME}  gone.example: { state: absent }\n`);
  expect(await said(['apply', '--yes', '--allow-domain-delete', 'gone.example'])).toBe(false);
  await scene.manifest(`domains:\n${ACME}`);
  expect(await said(['plan'])).toBe(false);
});
