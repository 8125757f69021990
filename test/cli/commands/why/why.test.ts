import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../../src/emulator/account/seed.ts';
import type { WhyDocument } from '../../../../src/service/why/why-document.ts';
import { commandScene } from '../../support/scene.ts';
import { why } from './support/ask.ts';
import { ACME, CASES, HUB, MANIFEST, SALES } from './support/cases.ts';

const GOOD = new Set<WhyDocument['verdict']>(['discarded', 'delivered', 'not-seen', 'unknown']);
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/;

describe.each(['v4', 'v3'] as const)('why through %s', (version) => {
  const cases = CASES.filter(({ only }) => only === undefined || only === version);

  test.each(cases)('$verdict: $cause', async (one) => {
    const { to = SALES.to, account, acme, manifest = MANIFEST, happens, verdict, sentence } = one;
    const seed: Seed = {
      domains: [{ ...ACME, ...acme }, HUB],
      ...(account === undefined ? {} : { account }),
    };
    const scene = await commandScene({ version, manifest, seed });
    await happens?.(scene, version);
    const before = scene.requests().length;
    const { code, document } = await why(scene, [to]);
    const sent = scene.requests().slice(before);
    const said = document.sentence.replace(TIME, 'TIME').replace(scene.directory, 'DIR');
    expect([document.verdict, said]).toEqual([verdict, sentence]);
    expect(code).toBe(GOOD.has(verdict) ? 0 : 2);
    expect([document.complete, document.requests]).toEqual([true, sent.length]);
    expect(sent.every(({ method }) => method === 'GET')).toBe(true);
    expect(sent.length).toBeLessThanOrEqual(8);
    const text = await scene.run(['why', to], { seat: 'terminal' });
    expect(text.code).toBe(code);
    const words = text.stdout.replaceAll(/\s+/g, ' ');
    expect(words).toContain(`${verdict.toUpperCase()} ${document.sentence}`);
  });
});

test('each verdict is among them', () => {
  expect([...new Set(CASES.map(({ verdict }) => verdict))]).toEqual([
    'disabled',
    'not-receiving',
    'refused',
    'failing',
    'differs',
    'discarded',
    'delivered',
    'not-seen',
    'unknown',
  ]);
});
