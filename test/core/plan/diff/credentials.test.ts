import { entryKey } from '../../../../src/core/kinds/item-key.ts';
import { describe, expect, test } from 'vitest';
import type { CredentialSection } from '../../../../src/core/model/desired.ts';
import { nameKey } from '../../../../src/core/model/names.ts';
import { signature } from '../../../../src/core/kinds/items.ts';
import {
  ACME,
  at,
  brief,
  codes,
  credentialSection,
  desired,
  live,
  observed,
  plan,
  present,
  prior,
} from '../support/build.ts';

type Options = Parameters<typeof plan>[2];

function planned(section: CredentialSection, names: readonly string[], options: Options = {}) {
  const wanted = desired([present(ACME, { credentials: section })]);
  return plan(wanted, observed([live(ACME, { credentials: names.map((name) => ({ name })) })]), options);
}

const sent = (...names: readonly string[]) =>
  prior(ACME, { passwords: new Map(names.map((name) => [nameKey(name), 'fingerprint'])) });

describe('the credentials of a domain', () => {
  test.each<[string, CredentialSection, readonly string[], Options, readonly string[], readonly string[]]>([
    ['one is missing', credentialSection({ p: 'password' }), [], {}, ['+credential p 1 manifest'], []],
    ['its existence alone', credentialSection({ p: 'bare' }), ['P'], {}, [], []],
    ['absent and there', credentialSection({ p: 'absent' }), ['P'], {}, ['-credential P 2 absent'], []],
    ['absent and gone', credentialSection({ p: 'absent' }), [], {}, [], []],
    ['unmanaged', credentialSection({}), ['p'], {}, [], []],
    ['pruned', credentialSection({}, { prune: true }), ['p'], {}, ['-credential p 2 prune'], []],
    ['pruned and ignored', { ...credentialSection({}, { prune: true }), ignore: ['p*'] }, ['P1'], {}, [], []],
    ['ignored and named', { ...credentialSection({ p: 'absent' }), ignore: ['p'] }, ['p'], {}, [], []],
    [
      'a password that was never sent from here',
      credentialSection({ p: 'password' }),
      ['p'],
      {},
      [],
      ['password-unknown'],
    ],
    ['a password on record', credentialSection({ p: 'password' }), ['p'], { prior: sent('P') }, [], []],
    [
      'a password of another on record',
      credentialSection({ p: 'password' }),
      ['p'],
      { prior: sent('q') },
      [],
      ['password-unknown'],
    ],
    [
      'another password than was sent',
      credentialSection({ p: 'password' }),
      ['P'],
      { prior: sent('p'), changedPasswords: new Set(['P@acme.example']) },
      ['~credential P 1 manifest'],
      [],
    ],
    [
      'one that changed in another domain',
      credentialSection({ p: 'password' }),
      ['p'],
      { prior: sent('p'), changedPasswords: new Set(['p@b.example', 'q@acme.example']) },
      [],
      [],
    ],
    [
      'asked to be sent again',
      credentialSection({ p: 'password', q: 'password' }),
      ['p', 'q'],
      {
        prior: sent('p', 'q'),
        with: {
          rotate: [
            { name: 'P', domain: ACME },
            { name: 'q', domain: ACME },
          ],
        },
      },
      ['~credential p 1 rotate', '~credential q 1 rotate'],
      [],
    ],
    [
      'without a password of the manifest nothing has changed',
      credentialSection({ p: 'bare' }),
      ['p'],
      { changedPasswords: new Set(['p@acme.example']) },
      [],
      [],
    ],
  ])('%s', (_, section, names, options, changes, warnings) => {
    const result = planned(section, names, options);
    expect([brief(result), codes(result), result.problems]).toEqual([changes, warnings, []]);
  });

  test('each change, whole', () => {
    const common = {
      kind: 'credential',
      domain: ACME,
      id: null,
      conditional: false,
      source: at(70),
    };
    const set = { password: 'set' };
    expect(planned(credentialSection({ p: 'password' }), []).changes).toEqual([
      {
        ...common,
        action: 'add',
        name: 'p',
        observed: null,
        desired: set,
        fields: ['password'],
        stage: 1,
        reason: 'manifest',
      },
    ]);
    const changed = { changedPasswords: new Set(['p@acme.example']) };
    expect(planned(credentialSection({ p: 'password' }), ['P'], changed).changes).toEqual([
      {
        ...common,
        action: 'update',
        name: 'P',
        observed: set,
        desired: set,
        fields: ['password'],
        stage: 1,
        reason: 'manifest',
      },
    ]);
    expect(planned(credentialSection({ p: 'absent' }), ['P']).changes).toEqual([
      {
        ...common,
        action: 'delete',
        name: 'P',
        observed: set,
        desired: null,
        fields: [],
        stage: 2,
        reason: 'absent',
      },
    ]);
    expect(planned(credentialSection({}, { prune: true }), ['P']).changes).toMatchObject([{ source: null }]);
  });

  test('counts: what is as wanted, managed and unmanaged', () => {
    const section = { ...credentialSection({ a: 'bare', b: 'absent' }, { prune: true }), ignore: ['i*'] };
    const { summary, guards } = planned(section, ['a', 'b', 'c', 'i1', 'i2']);
    expect(summary).toMatchObject({ delete: 2, unchanged: 2, unmanaged: 2 });
    expect(guards.map(({ guard, limit }) => [guard, limit])).toEqual([['max-deletes', 1]]);
    const kept = { ...credentialSection({ a: 'absent' }), ignore: ['i*'] };
    expect(planned(kept, ['a', 'b', 'c', 'i1']).summary).toMatchObject({ delete: 1, unmanaged: 3 });
  });

  test('two that differ in case withhold the domain', () => {
    expect(planned(credentialSection({}), ['p', 'P']).withheld).toEqual([
      {
        domain: ACME,
        part: 'domain',
        cause: 'unproven',
        reason: 'two live credentials have the name "P": ids p and P; delete one of them',
      },
    ]);
  });

  test.each<[string, readonly string[], Options, string]>([
    ['to be made', [], {}, 'it does not exist yet, and needs a password to be created'],
    [
      'to be sent again',
      ['p'],
      { with: { rotate: [{ name: 'p', domain: ACME }] } },
      'its password must be sent again',
    ],
    [
      'to be sent again before it was made',
      [],
      { with: { rotate: [{ name: 'p', domain: ACME }] } },
      'it does not exist yet, and needs a password to be created',
    ],
  ])('needs a password %s', (_, names, options, why) => {
    const result = planned(credentialSection({ p: 'bare' }), names, options);
    expect(result.changes).toMatchObject([{ action: names.length === 0 ? 'add' : 'update', name: 'p' }]);
    expect(result.problems).toEqual([
      {
        severity: 'error',
        code: 'password-required',
        message: `credential "p" of acme.example: ${why}`,
        hint: 'write password: { env: NAME } or { file: PATH }',
        source: at(70),
      },
    ]);
  });

  test('a password that is not known to be the one of the manifest is not sent, and says how it would be', () => {
    expect(planned(credentialSection({ p: 'password' }), ['p']).warnings).toEqual([
      {
        code: 'password-unknown',
        message:
          'credential "p" of acme.example exists; it is not known if it has the password of the manifest, which is not sent',
        hint: '--rotate p@acme.example sends it',
        source: at(70),
      },
    ]);
  });

  test('drift', () => {
    const known = new Map([
      [entryKey('credential', 'p'), signature({ kind: 'credential', state: {} }, new Map())],
    ]);
    const section = credentialSection({ p: 'password' });
    expect(brief(planned(section, [], { prior: prior(ACME, { applied: known }) }))).toEqual([
      '+credential p 1 drift',
    ]);
  });
});
