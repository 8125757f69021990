import { expect, test } from 'vitest';
import { runScene } from './support/harness.ts';

// v3 accepts an alias's name or id in the same place, and its specification does not say which counts first.
const SEED = {
  domains: [
    {
      domain: 'acme.example',
      aliases: [
        { id: 7, alias: 'first', forward: 'ana@corp.example' },
        { id: 8, alias: '7', forward: 'ben@corp.example' },
        { id: 9, alias: 'third', forward: 'ana@corp.example' },
      ],
    },
  ],
};

test.each([
  ['a delete', 'first: { state: absent }', 'DELETE', ['7', 'third']],
  ['an update', 'first: carol@corp.example', 'PUT', ['7', 'first', 'third']],
] as const)(
  'v3: %s of an alias whose id is the name of another one strikes the right one',
  async (_, entry, method, left) => {
    for (const v3AliasSegment of ['name-first', 'id-first'] as const) {
      const { end, writes, report } = await runScene({
        version: 'v3',
        manifest: `domains:\n  acme.example:\n    aliases:\n      ${entry}`,
        seed: SEED,
        switches: { v3AliasSegment },
      });
      expect(report.outcome).toBe('converged');
      expect(writes.map((write) => `${write.method} ${write.path}`)).toEqual([
        `${method} /domains/acme.example/aliases/batch`,
      ]);
      const aliases = end.domains[0]?.aliases ?? [];
      expect(aliases.map(({ alias }) => alias).sort()).toEqual(left);
      expect(aliases.find(({ alias }) => alias === '7')).toMatchObject({ forward: 'ben@corp.example' });
    }
  },
);
