import { describe, expect, test } from 'vitest';
import { DISCLOSE_ALL } from '../../src/model/disclosure.ts';
import type { Change, Plan } from '../../src/model/plan.ts';
import { comparePlans } from '../../src/plan/compare.ts';
import { planDigest, stableJson } from '../../src/plan/digest.ts';
import { planDocument, type PlanDocument } from '../../src/plan/document.ts';
import { readPlan, sealPlan, type SavedPlan } from '../../src/plan/saved.ts';
import {
  ACME,
  absent,
  aliasSection,
  desired,
  live,
  liveAliases,
  NOW,
  observed,
  plan,
  planAliases,
  present,
} from './build.ts';

/** In place of a hash: all that goes into it. */
const sha256 = (text: string): string => `(${text.length})${text}`;
const NO_FORECAST = { requests: 0, writes: 0, seconds: 0, limit: null, endpoints: [] };

function documentOf(made: Plan): PlanDocument {
  const digest = planDigest(made, sha256);
  return planDocument(made, {
    forecast: NO_FORECAST,
    createdAt: NOW,
    digest,
    disclosure: DISCLOSE_ALL,
    options: { paths: ['fwdsync.yaml'], domains: null },
  });
}

function base(): Plan {
  return planAliases(aliasSection({ a: 'b@x.example', z: false }), { a: 'a@x.example', z: 'z@x.example' });
}

describe('what a plan’s digest covers', () => {
  test.each<[string, (made: Plan) => Partial<Plan>, boolean]>([
    ['nothing', () => ({}), false],
    ['the account', (made) => ({ api: { ...made.api, account: 'eve@acme.example' } }), true],
    ['the manifest', (made) => ({ manifest: { ...made.manifest, digest: 'sha256:other' } }), true],
    ['where the manifest lies', (made) => ({ manifest: { ...made.manifest, files: ['else.yaml'] } }), false],
    ['changes', (made) => ({ changes: made.changes.slice(1) }), true],
    [
      'what a change does',
      (made) => ({ changes: made.changes.map((change) => ({ ...change, name: 'else' }) as Change) }),
      true,
    ],
    [
      'where entries are written',
      (made) => ({
        changes: made.changes.map((change) => ({
          ...change,
          source: null,
          via: { file: 'f', line: 1, column: 1 },
        })),
      }),
      false,
    ],
    [
      'guards',
      () => ({ guards: planAliases(aliasSection({ a: false }), { a: 'a@x.example' }).guards }),
      true,
    ],
    ['allowances', () => ({ allowances: ['--allow-deletes 1'] }), true],
    ['warnings', () => ({ warnings: [{ code: 'over-quota', message: '', source: null }] }), false],
  ])('%s', (_, parts, differs) => {
    const made = base();
    const [before, after] = [planDigest(made, sha256), planDigest({ ...made, ...parts(made) }, sha256)];
    expect(before).toMatch(/^sha256:\(\d+\)\{/);
    expect(before !== after).toBe(differs);
  });

  test('is made of JSON with sorted keys, in which numbers that JSON lacks are texts', () => {
    const value = { b: [2, { d: Number.NaN, c: null }], a: Number.POSITIVE_INFINITY, e: undefined };
    expect(stableJson(value)).toBe('{"a":"Infinity","b":[2,{"c":null,"d":"NaN"}]}');
  });
});

describe('what is new since a plan was saved', () => {
  type Parts = (saved: PlanDocument) => Partial<PlanDocument>;
  const since = (parts: Parts) => {
    const saved = documentOf(base());
    return comparePlans(saved, { ...saved, ...parts(saved) });
  };

  test('nothing, wherever entries are written by now', () => {
    expect(since(() => ({}))).toEqual([]);
    const moved: Parts = ({ changes }) => ({
      changes: changes.map((change) => ({
        ...change,
        source: null,
        via: { file: 'f', line: 1, column: 1 },
      })),
    });
    expect(since(moved)).toEqual([]);
  });

  test.each<[string, Parts, readonly object[]]>([
    [
      'the account',
      ({ api }) => ({ api: { ...api, account: 'eve@acme.example' } }),
      [
        {
          subject: 'account',
          was: 'ops@acme.example at https://api.example/v4',
          is: 'eve@acme.example at https://api.example/v4',
        },
      ],
    ],
    [
      'the manifest',
      ({ manifest }) => ({ manifest: { ...manifest, digest: 'sha256:other' } }),
      [{ subject: 'manifest', was: 'as it was planned', is: 'edited since' }],
    ],
    [
      'a change that is not needed any more',
      ({ changes }) => ({ changes: changes.slice(0, 1) }),
      [{ subject: 'acme.example alias z', was: '- z@x.example absent', is: null }],
    ],
    [
      'another change, and one that is new',
      () => ({
        changes: documentOf(
          plan(
            desired([
              present(ACME, { aliases: aliasSection({ a: 'c@x.example', z: false }) }),
              present('new.example'),
            ]),
            observed([live(ACME, { aliases: liveAliases({ a: 'a@x.example', z: 'z@x.example' }) })]),
          ),
        ).changes.map((change) => (change.name === 'z' ? { ...change, id: '2' } : change)),
      }),
      [
        {
          subject: 'acme.example alias a',
          was: '~ a@x.example -> b@x.example',
          is: '~ a@x.example -> c@x.example',
        },
        { subject: 'new.example domain', was: null, is: '+' },
      ],
    ],
    [
      'what a change does not show',
      ({ changes }) => ({ changes: changes.map((change) => ({ ...change, id: 'else' })) }),
      [
        {
          subject: 'acme.example alias a',
          was: '~ a@x.example -> b@x.example',
          is: '~ a@x.example -> b@x.example',
        },
        { subject: 'acme.example alias z', was: '- z@x.example absent', is: '- z@x.example absent' },
      ],
    ],
    [
      'a domain that is withheld',
      () => ({
        withheld: [
          { domain: ACME, part: 'domain', reason: 'r' },
          { domain: ACME, part: 'domain', reason: 's' },
        ],
      }),
      [{ subject: 'acme.example withheld', was: null, is: 'r; s' }],
    ],
    [
      'an allowance',
      () => ({ allowances: ['--allow-deletes 1', '--allow-reroutes 2'] }),
      [{ subject: 'allowances', was: null, is: '--allow-deletes 1 --allow-reroutes 2' }],
    ],
  ])('%s', (_, parts, expected) => {
    expect(since(parts)).toEqual(expected);
  });

  test('why a domain is withheld', () => {
    const entry = { domain: ACME, part: 'domain', reason: 'r' } as const;
    const saved = { ...documentOf(base()), withheld: [entry] };
    const fresh = { ...saved, withheld: [{ ...entry, reason: 's' }] };
    expect(comparePlans(saved, fresh)).toEqual([{ subject: 'acme.example withheld', was: 'r', is: 's' }]);
    expect(comparePlans(fresh, fresh)).toEqual([]);
  });

  test('a guard, and whether it is allowed', () => {
    const tombstone = documentOf(
      plan(desired([absent(ACME)]), observed([live(ACME, { aliases: [], rules: [], credentials: [] })])),
    );
    const [guard] = tombstone.guards;
    const message = 'acme.example would be deleted, and with it 0 aliases, 0 rules, 0 credentials';
    const subject = 'domain-delete acme.example';
    expect(comparePlans({ ...tombstone, guards: [] }, tombstone)).toEqual([
      { subject, was: null, is: message },
    ]);
    const allowed = { ...tombstone, guards: guard === undefined ? [] : [{ ...guard, allowed: true }] };
    expect(comparePlans(allowed, tombstone)).toEqual([{ subject, was: `${message} (allowed)`, is: message }]);
  });
});

describe('a saved plan', () => {
  const seal = () => sealPlan(documentOf(base()), sha256);
  const read = (value: unknown) =>
    readPlan(typeof value === 'string' ? value : JSON.stringify(value), sha256);

  test('is read back as it was', () => {
    const sealed = seal();
    expect(read(sealed)).toEqual({ kind: 'intact', plan: JSON.parse(JSON.stringify(sealed)) });
    expect(sealed.checksum).toMatch(/^sha256:\(\d+\)\{/);
  });

  test('shows that somebody edited it', () => {
    const sealed = seal();
    expect(read({ ...sealed, digest: 'sha256:else' }).kind).toBe('edited');
    expect(read({ ...sealed, checksum: undefined }).kind).toBe('edited');
    expect(read({ ...sealed, more: 1 }).kind).toBe('edited');
  });

  test('of an earlier version may lack what shows more than there must be', () => {
    const { options: _, unchanged: __, allowances: ___, problems: ____, ...rest } = seal();
    expect(read(rest)).toMatchObject({
      kind: 'edited',
      plan: {
        options: { paths: [], domains: null },
        unchanged: {},
        allowances: [],
        problems: [],
        digest: rest.digest,
      },
    });
  });

  type Edited = (sealed: SavedPlan, change: SavedPlan['changes'][number] | undefined) => unknown;
  test.each<[string, Edited, string]>([
    ['no JSON', () => '{', 'it is not JSON'],
    ['no object', () => 'null', 'its kind is not fwdsync/plan@1'],
    ['a list', (sealed) => [sealed], 'its kind is not fwdsync/plan@1'],
    ['a text', () => '"plan"', 'its kind is not fwdsync/plan@1'],
    ['another kind', (sealed) => ({ ...sealed, kind: 'fwdsync/report@1' }), 'its kind is not fwdsync/plan@1'],
    ['no api', (sealed) => ({ ...sealed, api: null }), 'it has no valid api'],
    ['no manifest', (sealed) => ({ ...sealed, manifest: [] }), 'it has no valid manifest'],
    ['no summary', (sealed) => ({ ...sealed, summary: 1 }), 'it has no valid summary'],
    ['no forecast', (sealed) => ({ ...sealed, forecast: undefined }), 'it has no valid forecast'],
    ['no time', (sealed) => ({ ...sealed, createdAt: 1 }), 'it has no valid createdAt'],
    ['no digest', (sealed) => ({ ...sealed, digest: null }), 'it has no valid digest'],
    ['no changes', (sealed) => ({ ...sealed, changes: {} }), 'it has no valid changes'],
    ['no guards', (sealed) => ({ ...sealed, guards: null }), 'it has no valid guards'],
    [
      'withheld things that are none',
      (sealed) => ({ ...sealed, withheld: [{}, 1] }),
      'it has no valid withheld',
    ],
    ['warnings that are none', (sealed) => ({ ...sealed, warnings: 'none' }), 'it has no valid warnings'],
    [
      'a change by no action',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, action: 'wipe' }] }),
      'it has no valid changes',
    ],
    [
      'a change of no kind',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, kind: 'log' }] }),
      'it has no valid changes',
    ],
    [
      'a change in no domain',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, domain: 1 }] }),
      'it has no valid changes',
    ],
    [
      'a change of no name',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, name: null }] }),
      'it has no valid changes',
    ],
    [
      'a change for no reason',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, reason: {} }] }),
      'it has no valid changes',
    ],
    [
      'a change of no fields',
      (sealed, change) => ({ ...sealed, changes: [change, { ...change, fields: 'x' }] }),
      'it has no valid changes',
    ],
  ])('is none: %s', (_, value, reason) => {
    const sealed = seal();
    expect(read(value(sealed, sealed.changes[0]))).toEqual({ kind: 'not-a-plan', reason });
  });

  test.each(
    ['add', 'update', 'move', 'delete'].flatMap((action) =>
      ['domain', 'alias', 'rule', 'credential'].map((kind) => [action, kind]),
    ),
  )('may %s a %s', (action, kind) => {
    const sealed = seal();
    const changes = [{ ...sealed.changes[0], action, kind }];
    expect(read({ ...sealed, changes }).kind).toBe('edited');
  });
});
