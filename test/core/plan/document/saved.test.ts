import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planFault } from '../../../../src/cli/output/plan/plan-fault.ts';
import { entryKey } from '../../../../src/core/kinds/item-key.ts';
import { describe, expect, test } from 'vitest';
import { DISCLOSE_ALL } from '../../../../src/core/model/destinations.ts';
import type { Change, Plan } from '../../../../src/core/model/plan.ts';
import { NO_PRIOR } from '../../../../src/core/model/prior.ts';
import { comparePlans, staleSince } from '../../../../src/core/plan/render/compare.ts';
import { approvalDigest, planDigest, stableJson } from '../../../../src/core/plan/document/digest.ts';
import { planRoutes } from '../../../../src/core/plan/routes/routes.ts';
import { planDocument, type PlanDocument } from '../../../../src/core/plan/document/document.ts';
import { makePlan, type PlanInput } from '../../../../src/core/plan/plan.ts';
import {
  isSealedBy,
  parseJson,
  readPlan,
  sealPlan,
  type SavedPlan,
} from '../../../../src/core/plan/document/saved.ts';
import {
  ACME,
  absent,
  aliasSection,
  at,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveTwin,
  name,
  NOW,
  observed,
  plan,
  planAliases,
  POLICY,
  present,
  prior,
  rule,
  ruleSection,
  sizeOf,
} from '../support/build.ts';

/** Replaces the hash by its whole input. */
const sha256 = (text: string): string => `(${text.length})${text}`;
const hmac = (text: string): string => sha256(`key${text}`);
const NO_FORECAST = {
  requests: 0,
  writes: 0,
  seconds: 0,
  limit: null,
  windowSeconds: null,
  endpoints: [],
  phases: {
    reading: { requests: 0, seconds: 0 },
    writing: { requests: 0, seconds: 0 },
    verifying: { requests: 0, seconds: 0 },
  },
  total: { requests: 0, seconds: 0 },
};

function documentOf(made: Plan): PlanDocument {
  const digest = planDigest(made, [], sha256);
  return planDocument(made, {
    forecast: NO_FORECAST,
    createdAt: NOW,
    digest,
    disclosure: DISCLOSE_ALL,
    options: { paths: ['fwdsync.yaml'], domains: null },
    routes: [],
  });
}

function base(): Plan {
  return planAliases(aliasSection({ a: 'b@x.example', z: false }), { a: 'a@x.example', z: 'z@x.example' });
}

describe('the coverage of a plan’s digest', () => {
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
    const [before, after] = [
      planDigest(made, [], sha256),
      planDigest({ ...made, ...parts(made) }, [], sha256),
    ];
    expect(before).toMatch(/^sha256:\(\d+\)\{/);
    expect(before !== after).toBe(differs);
  });

  test('is made of JSON with sorted keys, in which numbers that JSON lacks are texts', () => {
    const value = { b: [2, { d: Number.NaN, c: null }], a: Number.POSITIVE_INFINITY, e: undefined };
    expect(stableJson(value)).toBe('{"a":"Infinity","b":[2,{"c":null,"d":"NaN"}]}');
  });
});

describe('the digest by which a saved plan is recognised', () => {
  const section = aliasSection({ a: 'b@x.example' });
  const carol = { credentials: credentialSection({ carol: 'password' }) };
  const inputOf = (parts: Partial<PlanInput> = {}): PlanInput => ({
    desired: desired([present(ACME, { aliases: section, ...carol })]),
    observed: observed([
      live(ACME, { aliases: liveAliases({ a: 'a@x.example' }), credentials: [{ name: 'carol' }] }),
    ]),
    policy: POLICY,
    prior: NO_PRIOR,
    now: NOW,
    api: { url: 'https://api.example/v4', version: 'v4' },
    ...parts,
  });
  const digestOf = (input: PlanInput): string => approvalDigest({ input, plan: makePlan(input) }, sha256);
  const applied = new Map([[entryKey('alias', 'a'), 'b@x.example']]);
  const differences = new Map([[entryKey('alias', 'a'), { sent: 'b@x.example', shown: 'a@x.example' }]]);

  test.each<[string, Partial<PlanInput>]>([
    ['that something was in place before', { prior: prior(ACME, { applied }) }],
    ['that the service does not keep something', { prior: prior(ACME, { keptOtherwise: differences }) }],
    ['how much was live', { prior: prior(ACME, { live: { aliases: 9 } }) }],
    ['how large the manifest was', { prior: { ...NO_PRIOR, manifests: [sizeOf(9, 9)] } }],
    ['that a password is another one', { changedPasswords: new Set(['carol@acme.example']) }],
  ])('does not cover what the state directory alone knows: %s', (_, parts) => {
    expect(digestOf(inputOf(parts))).toBe(digestOf(inputOf()));
  });

  test('covers what is asked for with flags', () => {
    const policy = { ...POLICY, rotate: [{ name: 'carol', domain: ACME }] };
    expect(digestOf(inputOf({ policy }))).not.toBe(digestOf(inputOf()));
    const [input, made] = [inputOf(), makePlan(inputOf())];
    expect(digestOf(input)).toBe(planDigest(made, planRoutes({ ...input, ...made }), sha256));
  });

  test('covers what it covered in earlier versions, so that the plans they saved are applied', async () => {
    const wanted = {
      settings: { notification_email: { value: 'new@x.example', source: at(2) } },
      aliases: aliasSection({ a: 'b@x.example', c: 'c@x.example' }, { prune: true }),
      rules: ruleSection([rule('s', 'y@x.example'), rule('r', 'z@x.example'), rule('t', 'a@x.example')], {
        prune: true,
      }),
      credentials: credentialSection({ carol: 'password', dan: 'absent', eve: 'password' }),
    };
    const found = {
      aliases: liveAliases({ a: 'a@x.example', z: 'z@x.example' }),
      rules: [
        liveTwin('r', 1, 'x@x.example'),
        liveTwin('s', 2, 'y@x.example'),
        liveTwin('u', 3, 'a@x.example'),
      ],
      credentials: [{ name: 'dan' }, { name: 'eve' }],
    };
    const input = inputOf({
      desired: desired([present(ACME, wanted), present('new.example', wanted), absent('old.example')]),
      observed: observed([
        live(ACME, found),
        live('old.example', { aliases: liveAliases({ o: 'o@x.example' }), rules: [], credentials: [] }),
      ]),
      policy: {
        ...POLICY,
        rotate: [{ name: 'eve', domain: ACME }],
        allowances: [
          { kind: 'deletes', count: 4 },
          { kind: 'domain-delete', domain: name('old.example') },
        ],
      },
    });
    const covered = approvalDigest({ input, plan: makePlan(input) }, (text) => text).slice('sha256:'.length);
    // Written by the version of 2026-11-23. A change here makes the saved plans of all users stale.
    const earlier = await readFile(join(import.meta.dirname, 'covered-by-earlier-versions.json'), 'utf8');
    expect(JSON.parse(covered)).toEqual(JSON.parse(earlier));
  });

  test('covers whose mail changes, though changes and guards are the same', () => {
    const wanted = desired([present(ACME, { aliases: aliasSection({ a: 'b@x.example' }) })]);
    const withDesk = (forward: string) =>
      inputOf({
        desired: wanted,
        observed: observed([live(ACME, { aliases: liveAliases({ a: 'a@x.example', desk: forward }) })]),
      });
    const [before, after] = [withDesk('z@x.example'), withDesk('a@acme.example')];
    expect(makePlan(after)).toEqual(makePlan(before));
    expect(digestOf(after)).not.toBe(digestOf(before));
    expect(digestOf(withDesk('y@x.example'))).toBe(digestOf(before));
  });

  test('and what a plan does that the saved one does not say is listed, but for a password that changed', () => {
    const madeOf = (parts: Partial<PlanInput>): PlanDocument => {
      return { ...documentOf(makePlan(inputOf(parts))), digest: 'sha256:same' };
    };
    const saved = madeOf({});
    const drift = madeOf({ prior: prior(ACME, { applied }) });
    expect(drift.changes).toMatchObject([{ reason: 'drift' }]);
    expect([staleSince(saved, drift), staleSince(drift, saved)]).toEqual([null, null]);
    expect(comparePlans(saved, drift)).toEqual([]);
    const changed = madeOf({ changedPasswords: new Set(['carol@acme.example']) });
    expect(changed.changes.map(({ kind }) => kind)).toEqual(['alias', 'credential']);
    expect(staleSince(saved, changed)).toBeNull();
    const policy = { ...POLICY, rotate: [{ name: 'carol', domain: ACME }] };
    const rotated = madeOf({ policy });
    expect(staleSince(saved, rotated)).toEqual([
      { subject: 'acme.example credential carol', was: null, is: expect.stringContaining('~') },
    ]);
    expect(staleSince(saved, { ...saved, changes: [] })).toBeNull();
    expect(staleSince(saved, { ...saved, digest: 'sha256:else' })).toEqual([]);
    const none = { ...saved, changes: [] };
    expect(staleSince(none, saved)).toEqual([
      { subject: 'acme.example alias a', was: null, is: '~ a@x.example -> b@x.example' },
    ]);
    const added = madeOf({ observed: observed([live(ACME, { aliases: [], credentials: [] })]) });
    expect((staleSince(none, added) ?? []).map(({ subject }) => subject)).toEqual([
      'acme.example alias a',
      'acme.example credential carol',
    ]);
  });
});

describe('changes since a plan was saved', () => {
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

  test('whose mail changes', () => {
    const saved = documentOf(base());
    const route = { domain: ACME, address: 'desk@acme.example', rule: null, was: null, via: [] } as const;
    const ends = { kind: 'lost', from: ['a@x.example'], to: [], unknown: [] } as const;
    const by = { before: { kind: 'alias', name: 'desk' }, after: null } as const;
    const lost = { ...route, ...ends, by };
    expect(comparePlans(saved, { ...saved, routes: [lost] })).toEqual([
      { subject: 'mail to desk@acme.example', was: null, is: 'a@x.example -> refused' },
    ]);
    const passing = { ...lost, via: ['old@acme.example'] };
    expect(comparePlans({ ...saved, routes: [lost] }, { ...saved, routes: [passing] })).toEqual([
      {
        subject: 'mail to desk@acme.example',
        was: 'a@x.example -> refused',
        is: 'a@x.example -> refused (via old@acme.example)',
      },
    ]);
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
  const seal = () => sealPlan(documentOf(base()), { sha256, hmac });
  const read = (value: unknown) =>
    readPlan(parseJson(typeof value === 'string' ? value : JSON.stringify(value)), {
      sha256,
      fault: planFault,
    });

  test('is read back as it was', () => {
    const sealed = seal();
    expect(read(sealed)).toEqual({ kind: 'intact', plan: JSON.parse(JSON.stringify(sealed)) });
    expect(sealed.checksum).toMatch(/^sha256:\(\d+\)\{/);
  });

  test('shows that it was edited', () => {
    const sealed = seal();
    expect(read({ ...sealed, digest: 'sha256:else' }).kind).toBe('edited');
    expect(read({ ...sealed, checksum: '' }).kind).toBe('edited');
    expect(read({ ...sealed, more: 1 }).kind).toBe('edited');
  });

  test('is sealed only by the owner of the key', () => {
    const sealed = seal();
    expect(isSealedBy(sealed, hmac)).toBe(true);
    expect(isSealedBy(sealed, (text) => hmac(`other${text}`))).toBe(false);
    const { checksum: _, seal: own, ...plan } = sealed;
    const forged = sealPlan({ ...plan, changes: [] }, { sha256, hmac: sha256 });
    expect(read(forged).kind).toBe('intact');
    expect(isSealedBy(forged, hmac)).toBe(false);
    expect(isSealedBy({ ...forged, seal: own }, hmac)).toBe(false);
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
    ['no options', (sealed) => ({ ...sealed, options: null }), 'it has no valid options'],
    [
      'files of numbers',
      (sealed) => ({ ...sealed, manifest: { files: [7], digest: '' } }),
      'it has no valid manifest.files[0]',
    ],
    [
      'text that is nested by the thousand',
      () => `{"kind":"fwdsync/plan@1","x":${'['.repeat(200_000)}`.concat(']'.repeat(200_000), '}'),
      'it has no valid createdAt',
    ],
    ['no time', (sealed) => ({ ...sealed, createdAt: 1 }), 'it has no valid createdAt'],
    ['no digest', (sealed) => ({ ...sealed, digest: null }), 'it has no valid digest'],
    ['no changes', (sealed) => ({ ...sealed, changes: {} }), 'it has no valid changes'],
    ['no guards', (sealed) => ({ ...sealed, guards: null }), 'it has no valid guards'],
    [
      'withheld things that are none',
      (sealed) => ({ ...sealed, withheld: [{}, 1] }),
      'it has no valid withheld[0].domain',
    ],
    ['warnings that are none', (sealed) => ({ ...sealed, warnings: 'none' }), 'it has no valid warnings'],
    [
      'a change by no action',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, action: 'wipe' }] }),
      'it has no valid changes[0].action',
    ],
    [
      'a change of no kind',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, kind: 'log' }] }),
      'it has no valid changes[0].kind',
    ],
    [
      'a change in no domain',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, domain: 1 }] }),
      'it has no valid changes[0].domain',
    ],
    [
      'a change of no name',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, name: null }] }),
      'it has no valid changes[0].name',
    ],
    [
      'a change for no reason',
      (sealed, change) => ({ ...sealed, changes: [{ ...change, reason: {} }] }),
      'it has no valid changes[0].reason',
    ],
    [
      'a change of no fields',
      (sealed, change) => ({ ...sealed, changes: [change, { ...change, fields: 'x' }] }),
      'it has no valid changes[1].fields',
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
