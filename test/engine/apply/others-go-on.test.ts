import { describe, expect, test } from 'vitest';
import type { EmulatorStore } from '../../../src/emulator/account/store.ts';
import { openScene, runScene, type Scene } from './support/harness.ts';

const DOMAINS = ['a.example', 'b.example', 'c.example'];
const manifest = `domains:${DOMAINS.map(
  (domain) => `
  ${domain}:
    aliases: { one: x@corp.example, two: x@corp.example, update: new@corp.example, old: { state: absent } }
    rules: [{ name: r, alias: r, forward: x@corp.example }]`,
).join('')}`;
const seed = {
  domains: DOMAINS.map((domain) => ({
    domain,
    aliases: [
      { alias: 'update', forward: 'old@corp.example' },
      { alias: 'old', forward: 'x@corp.example' },
    ],
  })),
};

/** Runs an edit just before the first write to one domain. */
function before(scene: Scene, path: string, run: (store: EmulatorStore) => void): void {
  scene.account.emulator.faults.push({ match: { method: 'POST', path }, do: { kind: 'edit', run } });
}

function byDomain(items: readonly { readonly domain: string; readonly name: string }[]) {
  return Object.fromEntries(
    DOMAINS.map((domain) => [domain, items.filter((item) => item.domain === domain).map(({ name }) => name)]),
  );
}

const ALL = ['one', 'two', 'update', 'r', 'old'];

test('a domain that is gone in the middle: reported, others go on', async () => {
  const scene = await openScene({ manifest, seed });
  const { report } = await scene.run({
    company: 'others',
    beforeApply: () =>
      before(scene, 'b.example', ({ state }) => {
        const domain = state.domains.get('b.example');
        if (domain !== undefined) state.domains.remove(domain);
      }),
  });
  expect(report.outcome).toBe('partial');
  expect(byDomain(report.applied)).toEqual({ 'a.example': ALL, 'b.example': [], 'c.example': ALL });
  // The batch is refused, and then its first item alone.
  expect(byDomain(report.failed)['b.example']).toEqual(['one']);
  expect(byDomain(report.skipped)['b.example']?.toSorted()).toEqual(['old', 'r', 'two', 'update']);
  expect(report.failed.every(({ status }) => status === 404)).toBe(true);
});

test('a domain that is banned in the middle: reported, others go on', async () => {
  const { report } = await runScene({
    manifest,
    seed,
    faults: [
      {
        match: { path: 'b.example/', method: 'POST', times: 'always' },
        do: { kind: 'status', code: 403, body: { message: 'This domain is banned.', errors: {} } },
      },
    ],
  });
  expect(byDomain(report.applied)).toEqual({ 'a.example': ALL, 'b.example': [], 'c.example': ALL });
  expect(byDomain(report.failed)['b.example']).toEqual(['one', 'r']);
  expect(byDomain(report.skipped)['b.example']?.toSorted()).toEqual(['old', 'two', 'update']);
});

test('an account that is locked in the middle: everything is reported, nothing is deleted', async () => {
  const scene = await openScene({ manifest, seed });
  const { report, end } = await scene.run({
    beforeApply: () =>
      before(scene, 'b.example', ({ state }) => {
        Object.assign(state.account, { locked: true, lock_reason: 'Payment is due.' });
      }),
  });
  expect(report.outcome).toBe('partial');
  expect(report.failed.map(({ message }) => message)).toContain('Payment is due.');
  expect([...report.applied, ...report.failed, ...report.skipped]).toHaveLength(DOMAINS.length * ALL.length);
  for (const { aliases } of end.domains) expect(aliases.map(({ alias }) => alias)).toContain('old');
});

describe('a plan limit that is reached in the middle', () => {
  test.each(['account', 'domain'] as const)(
    'for aliases, counted per %s: those within the limit are added, the rest is reported',
    async (aliasesLimitPer) => {
      const { report, end } = await runScene({
        manifest,
        seed,
        limits: { aliases_limit: aliasesLimitPer === 'account' ? 9 : 3 },
        switches: { aliasesLimitPer },
      });
      expect(report.outcome).toBe('partial');
      expect(report.failed).toHaveLength(3);
      for (const item of report.failed) {
        expect(item).toMatchObject({
          action: 'add',
          kind: 'alias',
          message: expect.stringContaining('Your account is limited to'),
        });
        expect(item.source?.line).toBeGreaterThan(3);
      }
      expect(report.applied.filter(({ kind, action }) => kind === 'alias' && action === 'add')).toHaveLength(
        3,
      );
      // Nothing is deleted in a domain where an addition failed.
      const failed = new Set(report.failed.map(({ domain }) => domain));
      for (const { domain, aliases } of end.domains) {
        expect([domain, aliases.some(({ alias }) => alias === 'old')]).toEqual([domain, failed.has(domain)]);
      }
    },
  );

  test.each([400, 402, 403, 422])('for domains, with status %i', async (overLimitStatus) => {
    const scene = await openScene({
      manifest: `domains:${['n1', 'n2', 'n3'].map((name) => `\n  ${name}.example: { aliases: { info: x@corp.example } }`).join('')}`,
      switches: { overLimitStatus },
    });
    const { report, end } = await scene.run({
      beforeApply: () => {
        Object.assign(scene.account.emulator.store.state.account.plan, { domains_limit: 2 });
      },
    });
    expect(report.outcome).toBe('partial');
    expect(end.domains.map(({ aliases }) => aliases.map(({ alias }) => alias))).toEqual([
      ['*', 'info'],
      ['*', 'info'],
    ]);
    expect(report.failed).toMatchObject([{ kind: 'domain', status: overLimitStatus }]);
    expect(report.skipped).toMatchObject([{ kind: 'alias', name: 'info' }]);
  });
});

test('one domain that cannot be read at the start is withheld; the others go on', async () => {
  const scene = await openScene({
    manifest,
    seed,
    faults: [
      {
        match: { method: 'GET', path: '^/domains/b.example/aliases', times: 'always' },
        do: { kind: 'listing', missing: 0 },
      },
    ],
  });
  const { report, end } = await scene.run({ company: 'others' });
  expect(report.outcome).toBe('partial');
  expect(report.withheld).toMatchObject([{ domain: 'b.example' }]);
  expect(byDomain(report.applied)).toEqual({ 'a.example': ALL, 'b.example': [], 'c.example': ALL });
  expect(end.domains[1]?.aliases.map(({ alias }) => alias)).toEqual(['old', 'update']);
});
