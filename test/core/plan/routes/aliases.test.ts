import { expect, test } from 'vitest';
import { nameKey } from '../../../../src/core/model/names.ts';
import type { Change } from '../../../../src/core/model/plan.ts';
import { finalAliases, liveAliases } from '../../../../src/core/plan/routes/aliases.ts';
import * as build from '../support/build.ts';

const A = 'a@x.example';
const B = 'b@x.example';
const LIVE = { Info: A, old: A, '(x|y)': A, '(z).*': A, café: A };

function changed(entries: Record<string, string | false>): readonly Change[] {
  return build.planAliases(build.aliasSection(entries), LIVE).changes;
}

const final = (changes: readonly Change[]) =>
  finalAliases(liveAliases({ aliases: build.liveAliases(LIVE) }), changes);

test('as they will be, in the order of the account, with new ones last', () => {
  const changes = changed({ info: B, old: false, '(x|y)': false, new: B, '(n).*': B });
  const listed = ['Info', '(z).*', 'caf\u00e9', '(n).*', 'new'];
  const names = (found: Iterable<{ readonly name: string }>) => Array.from(found, ({ name }) => name);
  expect(names(final(changes)).toSorted()).toEqual(listed.toSorted());
  expect(names(final(changes)).slice(0, 3)).toEqual(listed.slice(0, 3));
  expect(names(final(changes).patterns)).toEqual(['(z).*', '(n).*']);
});

test('each is found by its key, and by its name as mail has it', () => {
  const { named, get } = final(changed({ info: B, old: false, new: B }));
  const forward = ['iNFO', 'old', 'new', 'caf\u00e9', 'none'].map((text) => named(nameKey(text))?.forward);
  expect(forward).toEqual([[B], undefined, [B], [A], undefined]);
  expect(['info', 'old', 'new', 'none'].map((text) => get(text)?.forward)).toEqual([
    [B],
    undefined,
    [B],
    undefined,
  ]);
  // Local parts are compared byte by byte: two encodings of an accent are two names.
  expect([get('caf\u00e9')?.forward, get('cafe\u0301')]).toEqual([[A], undefined]);
  expect(named(nameKey('cafe\u0301'))?.forward).toEqual([A]);
});

test('a catch-all that goes where the service made none is not there', () => {
  const wanted = build.present(build.ACME, { aliases: build.aliasSection({ info: A }, { prune: true }) });
  const { changes } = build.plan(build.desired([wanted]), build.observed([]));
  const aliases = finalAliases(liveAliases(undefined), changes);
  expect([...aliases]).toEqual([{ name: 'info', forward: [A] }]);
  expect(aliases.named(nameKey('*'))).toBeUndefined();
});
