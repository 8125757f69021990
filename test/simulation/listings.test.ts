import { describe, expect, test } from 'vitest';
import type { Fault, FaultAction } from '../../src/emulator/faults/faults.ts';
import { createExplorer, everyNth, IS_FULL, type Trial } from './support/explore.ts';
import { scenarioOf, type Scenario } from './support/scenario.ts';
import { judge } from './support/judge.ts';

// Listings of one to five pages: one page is wrong, or the account changes before it, in one to three reads.

const { faultless, explore } = createExplorer('listings');
const PAGE_SIZE = { v3: 100, v4: 200 } as const;
const PAGES = IS_FULL ? [1, 2, 3, 4, 5] : [1, 3];
const LAGS = IS_FULL ? [1, 2, 3] : [1, 3];

/** Makes the nth fault of the page. */
const KINDS: Readonly<Record<string, (nth: number) => FaultAction>> = {
  inserted: (nth) => edit('POST', '', { alias: `aaa-by-hand-${nth}`, forward: 'eve@corp.example' }),
  deleted: (nth) => edit('DELETE', `/${nth}`),
  duplicated: () => ({ kind: 'listing', duplicate: 0 }),
  'duplicated from the page before': () => ({ kind: 'listing', shift: -1 }),
  missing: () => ({ kind: 'listing', missing: 0 }),
  'missing between pages': () => ({ kind: 'listing', shift: 1 }),
  'total too high': () => ({ kind: 'listing', total: 1 }),
  'total too low': () => ({ kind: 'listing', total: -1 }),
  empty: () => ({ kind: 'listing', empty: true }),
};

function edit(
  method: string,
  path: string,
  body?: { readonly alias: string; readonly forward: string },
): FaultAction {
  const request = { method, path: `/v4/domains/acme.example/aliases${path}` };
  return { kind: 'edit', request: body === undefined ? request : { ...request, body } };
}

/** Two aliases to delete, one to update and one to add. If there are several pages, each is on a different page. */
function scenario(pages: number, version: 'v3' | 'v4'): Scenario {
  const count = PAGE_SIZE[version] * pages - 30;
  const names = Array.from({ length: count }, (_, index) => `n${String(index).padStart(4, '0')}`);
  const wanted = names.filter((_, index) => index !== count - 5 && index !== count >> 1);
  const entries = wanted.map((name, index) => `      ${name}: ${index === 7 ? 'new' : 'old'}@corp.example`);
  return scenarioOf(
    `${pages} pages on ${version}`,
    `domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases:\n      added: new@corp.example\n${entries.join('\n')}`,
    {
      domains: [
        {
          domain: 'acme.example',
          aliases: names.map((alias, index) => ({ id: index + 1, alias, forward: 'old@corp.example' })),
        },
      ],
    },
    { version, flags: { allowDeletes: 2 } },
  );
}

function* trialsOf(pages: number): Generator<Trial> {
  for (let page = 1; page <= pages; page += 1) {
    for (const [kind, actionOf] of Object.entries(KINDS)) {
      for (const lag of LAGS) {
        const match = { method: 'GET', path: `^/domains/acme\\.example/aliases\\?.*page=${page}(?!\\d)` };
        const faults = Array.from({ length: lag }, (_, index): Fault => ({
          match: { ...match, nth: index + 1 },
          do: actionOf(index + 1),
        }));
        yield { about: `${kind} on page ${page}, ${lag} times`, script: { strokes: new Map(), faults } };
      }
    }
  }
}

describe.each(IS_FULL ? (['v3', 'v4'] as const) : (['v3'] as const))('%s', (version) => {
  test.each(PAGES)('a listing of %i pages that is not what it seems', { timeout: 600_000 }, async (pages) => {
    const plain = scenario(pages, version);
    const whole = await faultless(plain);
    expect(judge(whole, whole)).toEqual([]);
    await explore(plain, whole, everyNth(5, [...trialsOf(pages)]));
  });
});
