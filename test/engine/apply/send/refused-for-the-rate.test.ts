import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../../src/emulator/http/journal.ts';
import { openScene } from '../support/harness.ts';

const NAMES = Array.from({ length: 6 }, (_, index) => `d${index}.example`);
const SECTIONS = ['aliases', 'rules', 'credentials'];
const METHODS = ['POST', 'PUT', 'DELETE', 'GET'];
const RULE = { type: 'alias', config: { alias: 'gone', forward: 'old@corp.example' } } as const;
const WAIT_MS = 7_000;

const manifest = `domains:${NAMES.map(
  (name, index) => `
  ${name}:
    aliases: { add: new@corp.example, update: new@corp.example, delete: { state: absent } }
    rules: [{ name: fresh, alias: fresh, forward: new@corp.example }, { id: ${ruleId(index)}, state: absent }]
    credentials: { carol: { password: { env: PASSWORD } }, dan: { state: absent } }`,
).join('')}`;
const seed = {
  domains: NAMES.map((domain, index) => ({
    domain,
    aliases: [
      { alias: 'update', forward: 'old@corp.example' },
      { alias: 'delete', forward: 'old@corp.example' },
    ],
    rules: [{ ...RULE, id: ruleId(index), rank: 10 }],
    credentials: [{ username: 'dan', password: 'long enough' }],
  })),
};

function ruleId(index: number): string {
  return `00000000-0000-4000-8000-00000000000${index}`;
}

/** The first of each method in each section of each domain is refused, but not the very first write of the run. */
function refusals(first: string) {
  return NAMES.flatMap((name) =>
    SECTIONS.flatMap((section) =>
      METHODS.map((method) => ({ method, path: `^/domains/${name}/${section}` })),
    ),
  )
    .filter(({ method, path }) => !(method === 'POST' && new RegExp(path).test(first)))
    .map((match) => ({
      match,
      do: {
        kind: 'status',
        code: 429,
        body: { message: 'Too many requests.', errors: {} },
        headers: { 'Retry-After': String(WAIT_MS / 1000) },
      } as const,
    }));
}

function requestOf({ method, path, body }: JournalEntry): string {
  return JSON.stringify([method, path, body]);
}

test.each(['v4', 'v3'] as const)(
  'side by side on many domains, each request but the first: all is sent again in time, and nothing that was taken (%s)',
  async (version) => {
    const scene = await openScene({ version, manifest, seed });
    const { report, requests, writes, after } = await scene.run({
      beforeApply: () => scene.account.emulator.faults.push(...refusals('/domains/d0.example/aliases')),
    });
    expect([report.outcome, after.changes]).toEqual(['converged', []]);
    const refused = requests.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(NAMES.length * SECTIONS.length * 2);
    expect(report.requests.rateLimited).toBe(refused.length);
    // Each write was accepted once, including those that were refused first.
    const taken = writes.filter(({ status }) => status !== 429).map(requestOf);
    expect(new Set(taken).size).toBe(taken.length);
    expect(
      new Set(refused.filter(({ method }) => method !== 'GET').map(requestOf)).difference(new Set(taken)),
    ).toEqual(new Set());
    expect(writes.every(({ status }) => status === 429 || (status ?? 500) < 300)).toBe(true);
    // The refused request and all others of the same endpoint have waited as told.
    for (const { at, method, endpoint } of refused) {
      const early = requests.filter(
        (other) =>
          other.method === method && other.endpoint === endpoint && other.at > at && other.at < at + WAIT_MS,
      );
      expect(early).toEqual([]);
    }
  },
);
