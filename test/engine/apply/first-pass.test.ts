import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/emulator/faults/faults.ts';
import type { JournalEntry } from '../../../src/emulator/http/journal.ts';
import { openScene, runScene, type Setup } from './support/harness.ts';

const LISTING = '/domains/:domain/aliases';

/** Creates this many domains; in each the destination of one alias changes. */
function updating(count: number, options: Partial<Setup> = {}): Setup {
  const names = Array.from({ length: count }, (_, index) => `d${String(index).padStart(3, '0')}.example`);
  return {
    manifest: `domains:\n${names.map((name) => `  ${name}: { aliases: { info: new@corp.example } }\n`).join('')}`,
    seed: {
      domains: names.map((domain) => ({
        domain,
        aliases: [{ alias: 'info', forward: 'old@corp.example' }],
      })),
    },
    ...options,
  };
}

function isListing({ method, endpoint }: JournalEntry): boolean {
  return method === 'GET' && endpoint === LISTING;
}

test('a domain is verified while others are still being written, and once', async () => {
  const { report, requests, writes } = await runScene(updating(40));
  expect([report.outcome, writes.length, requests.length]).toEqual(['converged', 40, 80]);
  const last = requests.findLastIndex(({ method }) => method === 'PUT');
  expect(requests.slice(0, last).filter(isListing).length).toBeGreaterThan(20);
  for (const write of writes) {
    const domain = write.path.split('/')[2] ?? '';
    const own = requests.filter((request) => request.path.includes(domain));
    expect(own.map(({ method }) => method)).toEqual(['PUT', 'GET']);
  }
});

test('under a limit verification takes the windows in which others are written', async () => {
  const { report } = await runScene(updating(20, { rateLimit: 5 }));
  expect([report.outcome, report.requests.rateLimited]).toEqual(['converged', 0]);
  // Three waits while reading, and four until the last read that verifies. Without parallel domains it would be ten.
  expect(Math.round(report.requests.waitedSeconds / 61)).toBeLessThanOrEqual(8);
});

test('a new domain is verified as soon as what is added to it is in', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `new${index}.example`);
  const { report, requests } = await runScene({
    manifest: `domains:\n${names.map((name) => `  ${name}: { aliases: { info: a@corp.example } }\n`).join('')}`,
    seed: { domains: [] },
  });
  expect(report.outcome).toBe('converged');
  expect(requests.filter(isListing)).toHaveLength(40);
  const last = requests.findLastIndex(({ method, endpoint }) => method === 'POST' && endpoint === LISTING);
  expect(requests.slice(0, last).filter(isListing).length).toBeGreaterThan(0);
  // The list of domains is read after all of them are added.
  expect(requests.at(-1)?.endpoint).toBe('/domains');
});

test('a deleted domain is not read after its delete', async () => {
  const { report, requests } = await runScene({
    manifest:
      'domains:\n  old.example: { state: absent }\n  a.example: { aliases: { info: new@corp.example } }',
    seed: {
      domains: [
        { domain: 'old.example', aliases: [{ alias: 'info', forward: 'old@corp.example' }] },
        { domain: 'a.example', aliases: [{ alias: 'info', forward: 'old@corp.example' }] },
      ],
    },
  });
  expect(report.outcome).toBe('converged');
  const gone = requests.findIndex(({ method }) => method === 'DELETE');
  expect(requests.slice(gone + 1).filter(({ path }) => path.startsWith('/domains/old.example'))).toEqual([]);
});

describe('a read that verifies', () => {
  const failing = (code: number): Fault => ({
    match: { method: 'GET', path: 'aliases', times: 'always' },
    do: { kind: 'status', code, body: { message: 'no', errors: {} } },
  });

  test('and is not allowed ends the run: nothing more is written', async () => {
    const scene = await openScene(updating(60));
    const { report, writes } = await scene.run({
      beforeApply: () => scene.account.emulator.faults.push(failing(401)),
    });
    expect(report.outcome).toBe('partial');
    expect(report.stopped?.kind).toBe('unauthorised');
    expect(writes.length).toBeLessThan(60);
  });

  test('and fails keeps nothing else from being written; the domain is read again in the next pass', async () => {
    const scene = await openScene(updating(3));
    const { report, writes } = await scene.run({
      beforeApply: () =>
        scene.account.emulator.faults.push({
          ...failing(403),
          match: { method: 'GET', path: 'd001', nth: 1 },
        }),
    });
    expect([report.outcome, writes.length]).toEqual(['converged', 3]);
  });
});

test.each([
  [1, 'converged', [2_000]],
  [2, 'converged', [2_000, 10_000]],
  [3, 'partial', [2_000, 10_000]],
] as const)(
  'a listing that is late by %i reads: %s, and only the last pass says that something is not kept',
  async (listingLag, outcome, sleeps) => {
    const scene = await openScene(updating(3, { switches: { listingLag } }));
    const { report, writes } = await scene.run({ company: 'others' });
    expect([report.outcome, report.notKept.length]).toEqual([outcome, outcome === 'partial' ? 3 : 0]);
    expect(scene.account.clock.sleeps).toEqual(sleeps);
    expect(writes.length).toBeLessThanOrEqual(6);
  },
);
