import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createEmulator, type EmulatorCore } from '../../../src/emulator/emulator.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import { problemsOf } from '../../../src/emulator/http/schemas.ts';
import { stateText } from '../../../src/emulator/account/dump.ts';
import { addAlias } from '../../../src/emulator/account/resources/aliases.ts';
import { KEY, START } from '../support/target.ts';

const forward = 'ana@corp.example';

function emulatorOf(state: Seed): EmulatorCore {
  return createEmulator({
    apiKey: KEY,
    plan: 'paid',
    now: () => START,
    sleep: async () => {},
    randomId: randomUUID,
    state,
  });
}

const full: Seed = {
  tier: 'free',
  switches: { equalRanks: 'created-reversed', rankDigits: 1 },
  account: { email: 'ops@acme.example', locked: false, cancels_at: '2027-01-01T00:00:00Z' },
  whitelabels: ['mail.partner.example'],
  domains: [
    {
      domain: 'zeta.example',
      routing_engine: 'rules',
      webhook: 'https://hooks.example/in',
      dns: { mx: true },
      aliases: [
        { alias: 'b', forward, id: 70 },
        { alias: '*', forward: 'null' },
      ],
      rules: [
        { type: 'regex', config: { regex: '"\\d\u2028', scopes: ['subject', 'body'], forward }, rank: 5 },
        { type: 'alias', config: { alias: 'x', forward }, rank: 5, active: false },
        { type: 'cel', config: { expression: 'true', forward }, rank: 1.5 },
      ],
      credentials: [{ username: 'carol', password: 'correct horse', usage: 3 }],
      logs: [
        { sender: forward, recipient: 'b@zeta.example', forward: 'x@y.example', subject: 'late' },
        { sender: { email: forward, name: 'Ana' }, recipient: 'b@zeta.example', created_at: START - 5000 },
        {
          sender: forward,
          recipient: 'b@zeta.example',
          forward,
          events: [
            'QUEUED',
            { status: 'SOFT-BOUNCE', code: 421, message: 'busy', created_at: START + 90_000 },
          ],
        },
      ],
    },
    { domain: 'alpha.example' },
  ],
};

describe('stateText', () => {
  test('it seeds the same account', () => {
    const { store } = emulatorOf(full);
    const seed = JSON.parse([...stateText(store.state)].join('')) as Seed;
    expect(problemsOf('state', seed)).toEqual([]);
    expect(emulatorOf(seed).store.dump()).toEqual(store.dump());
    expect(store.dump()).toMatchObject({ tier: 'free', switches: { rankDigits: 1 } });
  });

  test('a dump is valid, and a seed of nothing too', () => {
    expect(problemsOf('state', emulatorOf(full).store.dump())).toEqual([]);
    expect(JSON.parse([...stateText(emulatorOf({}).store.state)].join(''))).toMatchObject({ domains: [] });
  });

  test('it has one line an item, so that two of them can be compared', () => {
    const lines = [...stateText(emulatorOf(full).store.state)].join('').split('\n');
    expect(lines.filter((line) => line.startsWith('{"id":70,'))).toHaveLength(1);
  });

  test('pieces are small, and the account may change between them', () => {
    const aliases = Array.from({ length: 20_000 }, (_, id) => ({ alias: `a${id}`, forward, id: id + 1 }));
    const { store } = emulatorOf({ domains: [{ domain: 'a.example', aliases }, { domain: 'gone.example' }] });
    const { state } = store;
    const domain = state.domains.get('a.example');
    const other = state.domains.get('gone.example');
    if (domain === undefined || other === undefined) throw new Error('no domain');
    let text = '';
    let pieces = 0;
    for (const piece of stateText(state)) {
      expect(piece.length).toBeLessThan(100_000);
      text += piece;
      pieces += 1;
      for (const id of [pieces, 20_001 - pieces]) {
        const alias = domain.aliases.get(String(id), 'id');
        if (alias !== undefined) domain.aliases.remove(alias);
      }
      addAlias(state, domain, { alias: `new${pieces}`, forward });
      if (pieces === 1) state.domains.remove(other);
    }
    expect(pieces).toBeGreaterThan(20);
    const seed = JSON.parse(text) as Seed;
    expect(problemsOf('state', seed)).toEqual([]);
    const written = new Set(seed.domains?.[0]?.aliases?.map(({ alias }) => alias));
    const untouched = aliases.filter(({ id }) => id > pieces && id <= 20_000 - pieces);
    expect(untouched.every(({ alias }) => written.has(alias))).toBe(true);
  });
});
