import { expect, test } from 'vitest';
import type { Desired } from '../../src/core/model/desired.ts';
import { createOwnership, readInTurn } from '../../src/service/daemon/manifest/ownership.ts';
import { desiredOf } from '../core/manifest/support/loading.ts';

function manifestOf(account: string, ...domains: readonly string[]): Desired {
  const lines = domains.map((domain) => `  ${domain}: {}\n`);
  return desiredOf(`version: 1\napi: { account: ${account} }\ndomains:\n${lines.join('')}`);
}

test('a manifest conflicts with all that have its account or one of its domains, by name, for as long as they do', () => {
  const ownership = createOwnership();
  const found = (name: string): readonly string[] =>
    ownership.conflicts(name).map(({ code, message }) => `${code}: ${message}`);
  ownership.record('zeta', manifestOf('zeta@corp.example', 'a.example', 'b.example'));
  ownership.record('beta', manifestOf('ZETA@corp.example', 'c.example'));
  ownership.record('acme', manifestOf('acme@corp.example', 'b.example'));
  ownership.record('other', manifestOf('other@corp.example', 'd.example'));
  expect(found('zeta')).toEqual([
    'domain-twice: the domain b.example is in the manifest of another account, acme, as well',
    'account-twice: beta is a manifest of the same account, zeta@corp.example',
  ]);
  expect(found('other')).toEqual([]);
  expect(found('unknown')).toEqual([]);
  ownership.record('acme', manifestOf('acme@corp.example', 'd.example'));
  ownership.record('beta', manifestOf('beta@corp.example', 'c.example'));
  expect(found('zeta')).toEqual([]);
  expect(found('acme')).toEqual([
    'domain-twice: the domain d.example is in the manifest of another account, other, as well',
  ]);
});

test('manifests are read in turn, also after one that could not be read', async () => {
  const inTurn = readInTurn(2);
  const begun: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const reads = [0, 1, 2, 3].map((index) =>
    inTurn({
      read() {
        begun.push(index);
        return new Promise((resolve, reject) => {
          ends[index] = (error) => (error === undefined ? resolve(null) : reject(error));
        });
      },
    }).read(),
  );
  expect(begun).toEqual([0, 1]);
  ends[1]?.(new Error('unreadable'));
  await expect(reads[1]).rejects.toThrow('unreadable');
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await Promise.all([reads[0], reads[2]]);
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[3]?.();
  await reads[3];
  const again = inTurn({ read: () => Promise.resolve(null) });
  expect(await Promise.all([again.read(), again.read(), again.read()])).toEqual([null, null, null]);
});
