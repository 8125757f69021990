import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packSections } from '../../src/client/packed.ts';
import type { DesiredDomain } from '../../src/core/model/desired.ts';
import { decodeForward } from '../../src/core/model/destinations.ts';
import { nameKey, type AliasName } from '../../src/core/model/names.ts';
import type { DesiredAlias, ObservedAlias } from '../../src/core/kinds/alias/fields.ts';
import { ACME, present } from '../core/plan/support/build.ts';

const SOURCE = { file: 'fwdsync.yaml', line: 1, column: 1 };

function entry(name: string, forward: readonly string[] | 'absent'): DesiredAlias {
  const place = { name: name as AliasName, source: SOURCE };
  if (forward === 'absent') return { ...place, state: 'absent' };
  // As it is written, in any order.
  return { ...place, state: 'present', forward: forward.flatMap((one) => decodeForward(one)) };
}

function wanting(entries: readonly DesiredAlias[]): DesiredDomain {
  const byName = new Map(entries.map((alias) => [nameKey(alias.name), alias]));
  return present(ACME, { aliases: { prune: false, ignore: [], entries: byName } });
}

function rowsOf(aliases: Iterable<ObservedAlias> = []): readonly ObservedAlias[] {
  return Array.from(aliases, ({ id, name, forward }) => ({ id, name, forward }));
}

const names = fc.constantFrom(
  'sales',
  'Sales',
  'info',
  '*',
  'a.*',
  'josé',
  'jose\u0301',
  '\ud800',
  '["x"]',
  '\u2028',
);
const forwards = fc.uniqueArray(
  fc.constantFrom(
    'a@x.example',
    'b@x.example',
    'null',
    'https://h.example/?a=1,2',
    '"q"@x.example',
    '\ud800@x.example',
  ),
  { minLength: 1 },
);
const rows = fc.array(
  fc.record({ id: fc.oneof(fc.nat().map(String), fc.string()), name: names, forward: forwards }),
);
const entries = fc.array(fc.tuple(names, fc.oneof(forwards, fc.constant('absent' as const))));

function decoded(
  listed: readonly { readonly id: string; readonly name: string; readonly forward: readonly string[] }[],
): readonly ObservedAlias[] {
  return listed.map(({ forward, ...row }) => ({ ...row, forward: decodeForward(forward.join(',')) }));
}

test('what is packed comes out as it was listed, each time, whatever the manifest says', () => {
  const property = fc.property(rows, entries, (listed, written) => {
    const aliases = decoded(listed);
    const desired = wanting(written.map(([name, forward]) => entry(name, forward)));
    const { aliases: packed } = packSections({ aliases }, desired);
    expect(packed).toHaveLength(aliases.length);
    for (let time = 0; time < 2; time += 1) expect(rowsOf(packed)).toEqual(aliases);
  });
  fc.assert(property, { numRuns: 500 });
});

test('as JSON two readings are the same where their rows are, and nowhere else', () => {
  const [name, forward] = [
    fc.constantFrom('a', 'b'),
    fc.constantFrom(['ana@corp.example'], ['b@x.example', '!']),
  ];
  const few = fc.array(fc.record({ id: fc.constantFrom('1', '2'), name, forward }), { maxLength: 2 });
  const written = fc.array(fc.tuple(name, forward), { maxLength: 2 });
  const property = fc.property(few, few, written, (before, after, said) => {
    const desired = wanting(said.map(([alias, to]) => entry(alias, to)));
    const [first, second] = [before, after].map(decoded);
    const json = (aliases: readonly ObservedAlias[] = []): string =>
      JSON.stringify(packSections({ aliases }, desired));
    expect(json(first) === json(second)).toBe(JSON.stringify(first) === JSON.stringify(second));
    expect(json(first)).toBe(json(decoded(before)));
  });
  fc.assert(property, { numRuns: 3_000 });
});

test('an alias that is as it is written is the entry, and nothing but its id is kept of it', () => {
  const written = entry('sales', ['ana@corp.example']);
  const listed = { id: '7', name: 'sales', forward: decodeForward('ana@corp.example') };
  const { aliases = [] } = packSections({ aliases: [listed] }, wanting([written]));
  const [alias] = [...aliases];
  expect(rowsOf(aliases)).toEqual([listed]);
  expect(alias?.forward).toBe(written.state === 'present' && written.forward);
});

test('of a domain that the manifest does not name, or wants gone, all is kept', () => {
  const aliases = [{ id: '7', name: 'sales', forward: decodeForward('b@x.example,a@x.example') }];
  const gone: DesiredDomain = { state: 'absent', domain: ACME, source: SOURCE };
  for (const desired of [undefined, gone]) {
    expect([...(packSections({ aliases, rules: [] }, desired).aliases ?? [])]).toEqual(aliases);
  }
  expect(packSections({ rules: [] }, undefined)).toEqual({ rules: [] });
});
