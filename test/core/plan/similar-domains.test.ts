import { expect, test } from 'vitest';
import { similarDomainWarnings } from '../../../src/core/plan/warnings.ts';
import { absent, at, codes, desired, live, observed, plan, present } from './support/build.ts';

/** True if adding `wanted` is a warning while the account has `other`. */
function warned(wanted: string, other: string): boolean {
  return codes(plan(desired([present(wanted)]), observed([live(other)]))).includes('similar-domain');
}

test.each([
  ['acme.example', 'acme.exampl', true],
  ['acme.example', 'acme.examples', true],
  ['acme.example', 'acne.example', true],
  ['acme.example', 'amce.example', true],
  ['acme.example', 'caem.example', true],
  ['acme.example', 'acme.exam', false],
  ['acme.example', 'acme.examplest', true],
  ['acme.example', 'acme.examplests', false],
  ['acme.example', 'bcdef.example', false],
  ['acme.example', 'xcmy.example', true],
  ['acme.example', 'xymz.example', false],
  ['acme.example', 'me.example', true],
  ['acme.example', 'e.example', false],
  ['ab.example', 'ba.example', true],
  ['abcd.example', 'badc.example', true],
  ['abcdef.example', 'badcfe.example', false],
  ['ca.example', 'abc.example', false],
  ['acme.example', 'quite-another.example', false],
])('%s beside %s: %s', (wanted, other, expected) => {
  expect(warned(wanted, other)).toBe(expected);
  expect(warned(other, wanted)).toBe(expected);
});

test('nothing is compared if a whole portfolio moves', () => {
  const signs = 'abcdefghijklmnopqrstuvwxyz123456789'.split('');
  const pairs = signs.flatMap((one) => signs.map((other) => `${one}${other}`));
  const slips = [...pairs.map((pair) => `${pair}00`), ...pairs.map((pair) => `00${pair}`)];
  const added = desired(slips.slice(0, 2000).map((text) => present(`${text}.example`)));
  const found = (count: number) => {
    const others = Array.from({ length: count - 1 }, (_, index) => live(`quite-another-${index}.example`));
    return similarDomainWarnings(added, observed([live('0000.example'), ...others]));
  };
  expect([found(1000).length, found(1001).length]).toEqual([2000, 0]);
});

test('names the first that is like it; what is live, or to be absent, is no slip of the pen', () => {
  const rows = observed([live('acne.example'), live('acme.exampl'), live('bcme.example')]);
  const wanted = desired([present('acme.example'), absent('acme.examples'), present('acne.example')]);
  expect(plan(wanted, rows).warnings.filter(({ code }) => code === 'similar-domain')).toEqual([
    {
      code: 'similar-domain',
      message: 'acme.example would be added, but the account has acme.exampl',
      hint: 'check the spelling of the name',
      source: at(1),
    },
  ]);
});
