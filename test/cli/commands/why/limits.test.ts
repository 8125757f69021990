import { describe, expect, test } from 'vitest';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import { deliver } from '../../support/deliver.ts';
import { commandScene, type CommandScene } from '../../support/scene.ts';
import { why } from './support/ask.ts';
import { HUB, SALES } from './support/cases.ts';

/** More aliases than fit into a few pages. */
const NAMES = Array.from({ length: 2_000 }, (_, index) => `name-${index}`);
const BIG: SeedDomain = {
  domain: 'acme.example',
  aliases: [
    ...NAMES.map((alias) => ({ alias, forward: 'ana@corp.example' })),
    { alias: 'sales', forward: 'desk@hub.example' },
  ],
};
const MANIFEST = `domains:
  acme.example:
    aliases:
      sales: desk@hub.example
${NAMES.map((name) => `      ${name}: ana@corp.example\n`).join('')}
  hub.example: { aliases: { desk: ben@corp.example } }
`;

/** Number of requests for an answer. */
async function sentFor(scene: CommandScene, work: () => Promise<unknown>): Promise<number> {
  const before = scene.requests().length;
  await work();
  return scene.requests().length - before;
}

describe.each(['v4', 'v3'] as const)('requests through %s', (version) => {
  const open = async (manifest = MANIFEST): Promise<CommandScene> =>
    commandScene({ version, manifest, seed: { domains: [BIG, HUB] } });

  test('are at most those that were allowed, and the number that it names suffices', async () => {
    const scene = await open();
    deliver(scene, SALES);
    let whole = 0;
    const sent = await sentFor(scene, async () => {
      const { document } = await why(scene, [SALES.to]);
      expect([document.verdict, document.complete]).toEqual(['delivered', true]);
      whole = document.requests;
    });
    expect(sent).toBe(whole);
    expect(whole).toBeGreaterThan(5);
    for (const limit of [1, 2, 3, 4, 5, 9, whole - 3, whole - 2, whole - 1]) {
      let number = 0;
      const some = await sentFor(scene, async () => {
        const { code, document } = await why(scene, [SALES.to, '--limit-requests', String(limit)]);
        expect([code, document.verdict, document.complete]).toEqual([0, 'unknown', false]);
        const [, named] =
          /--limit-requests \d+ was not enough, and (\d+) would be/.exec(document.sentence) ?? [];
        number = Number(named);
      });
      expect(some).toBeLessThanOrEqual(limit);
      expect(number).toBeGreaterThanOrEqual(whole);
      // Requests for later domains are not subtracted.
      expect(number).toBeLessThanOrEqual(whole + 4);
    }
  });

  test('for a failed message need only the logs', async () => {
    const scene = await open();
    deliver(scene, { ...SALES, outcome: 'HARD-BOUNCE' });
    const { code, document } = await why(scene, [SALES.to, '--limit-requests', '3']);
    expect([code, document.verdict, document.complete]).toEqual([2, 'failing', false]);
    expect(document.notices[0]).toMatch(/^--limit-requests 3 was not enough, and \d+ would be$/);
  });

  test('are 60 unless it is said, and a retry counts', async () => {
    const scene = await commandScene({
      version,
      seed: { domains: [{ ...BIG, aliases: manyAliases(13_000) }] },
    });
    scene.emulator.faults.push({
      match: { method: 'GET', path: 'domains/acme.example', times: 2 },
      do: { kind: 'status', code: 503 },
    });
    const sent = await sentFor(scene, async () => {
      const { document } = await why(scene, ['nobody@acme.example']);
      expect([document.verdict, document.requests]).toEqual(['unknown', 60]);
      expect(document.sentence).toMatch(/--limit-requests 60 was not enough: it takes at least \d+\.$/);
    });
    expect(sent).toBe(60);
  });
});

function manyAliases(count: number): NonNullable<SeedDomain['aliases']> {
  return Array.from({ length: count }, (_, index) => ({ alias: `a${index}`, forward: 'ana@corp.example' }));
}
