import { entryKey } from '../../../../src/core/kinds/item-key.ts';
import { describe, expect, test } from 'vitest';
import type { PresentDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import { signature } from '../../../../src/core/kinds/items.ts';
import {
  absent,
  ACME,
  at,
  desired,
  live,
  liveAliases,
  liveRule,
  observed,
  plan,
  present,
  prior,
} from '../support/build.ts';

type Settings = Readonly<Record<string, string | null>>;

function wanted(settings: Settings): PresentDomain {
  const stated = Object.entries(settings).map(([field, value], index) => [
    field,
    { value, source: at(index + 2) },
  ]);
  return present(ACME, { settings: Object.fromEntries(stated) });
}

function planSettings(
  settings: Settings,
  row: Partial<ObservedDomain>,
  options: Parameters<typeof plan>[2] = {},
) {
  return plan(desired([wanted(settings)]), observed([live(ACME, row)]), options);
}

describe('settings of a live domain', () => {
  test.each<[string, Settings, Partial<ObservedDomain>, readonly string[]]>([
    ['nothing stated', {}, { whitelabel: 'w.example' }, []],
    ['the same', { whitelabel: 'w.example' }, { whitelabel: 'w.example' }, []],
    ['another one', { whitelabel: 'v.example' }, { whitelabel: 'w.example' }, ['whitelabel']],
    ['a whitelabel has no case', { whitelabel: 'W.example' }, { whitelabel: 'w.Example' }, []],
    [
      'a host has no case, a local part has',
      { notification_email: 'IT@x.example' },
      { notification_email: 'IT@X.example' },
      [],
    ],
    [
      'another local part',
      { notification_email: 'IT@x.example' },
      { notification_email: 'it@x.example' },
      ['notification_email'],
    ],
    ['no value wanted, none there', { whitelabel: null }, { whitelabel: null }, []],
    ['no value wanted, an empty one there', { whitelabel: null }, { whitelabel: '' }, []],
    ['no value wanted, one there', { whitelabel: null }, { whitelabel: 'w.example' }, ['whitelabel']],
    ['one wanted, none there', { whitelabel: 'w.example' }, { whitelabel: null }, ['whitelabel']],
    ['a webhook, which only one generation tells', { webhook: 'https://h.example/x' }, {}, ['webhook']],
    ['the webhook that is there', { webhook: 'https://h.example/x' }, { webhook: 'https://H.example/x' }, []],
    [
      'all of them, in a fixed order',
      { webhook: 'https://h.example/x', whitelabel: 'w.example', notification_email: 'it@x.example' },
      {},
      ['notification_email', 'whitelabel', 'webhook'],
    ],
  ])('%s', (_, settings, row, fields) => {
    const result = planSettings(settings, row);
    expect(result.changes.map((change) => change.fields)).toEqual(fields.length === 0 ? [] : [fields]);
    expect(result.summary.unchanged).toBe(fields.length === 0 ? 1 : 0);
  });

  test('an update sends what is not managed as it was read', () => {
    const [change] = planSettings({ whitelabel: 'w.example' }, {}).changes;
    expect(change).toStrictEqual({
      kind: 'domain',
      action: 'update',
      domain: ACME,
      name: ACME,
      id: null,
      observed: { notification_email: 'ops@acme.example', whitelabel: null },
      desired: { notification_email: 'ops@acme.example', whitelabel: 'w.example' },
      fields: ['whitelabel'],
      stage: 1,
      conditional: false,
      reason: 'manifest',
      source: at(1),
    });
    expect(planSettings({ whitelabel: 'w.example' }, {}).changes[0]?.desired).not.toHaveProperty('webhook');
    const [hooked] = planSettings({ whitelabel: 'w.example' }, { webhook: 'https://h.example/x' }).changes;
    expect(hooked?.desired).toEqual({
      notification_email: 'ops@acme.example',
      whitelabel: 'w.example',
      webhook: 'https://h.example/x',
    });
  });

  test('taking a value away may not be possible', () => {
    expect(planSettings({ whitelabel: null }, { whitelabel: 'w.example' }).warnings).toEqual([
      {
        code: 'may-not-clear',
        message:
          'whitelabel of acme.example should have no value, but the service may not support clearing it',
        hint: 'if it is reported as not kept, clear it in the dashboard or leave the setting out',
        source: at(2),
      },
    ]);
    expect(planSettings({ whitelabel: 'v.example' }, { whitelabel: 'w.example' }).warnings).toEqual([]);
  });

  test('drift, and what the service keeps otherwise', () => {
    const sign = signature({ kind: 'domain', state: { whitelabel: 'w.example' } }, new Map());
    const known = new Map([[entryKey('domain', ACME), sign]]);
    const settings = { whitelabel: 'w.example' };
    const drifted = planSettings(settings, {}, { prior: prior(ACME, { applied: known }) });
    expect(drifted.changes).toMatchObject([{ reason: 'drift' }]);
    const shown = signature({ kind: 'domain', state: { whitelabel: null } }, new Map());
    const keptOtherwise = new Map([[entryKey('domain', ACME), { sent: sign, shown }]]);
    const other = { whitelabel: 'v.example' };
    expect(planSettings(settings, other, { prior: prior(ACME, { keptOtherwise }) }).changes).toHaveLength(1);
    const lost = planSettings(settings, {}, { prior: prior(ACME, { keptOtherwise }) });
    expect([lost.changes, lost.summary.unchanged]).toEqual([[], 0]);
    expect(lost.warnings).toEqual([
      {
        code: 'not-kept',
        message:
          'domain "acme.example" of acme.example: the service accepted this entry but keeps another value',
        hint: 'it is sent again when the entry or the live value changes',
        source: at(1),
      },
    ]);
  });
});

describe('a tombstone', () => {
  const sections = { aliases: liveAliases({ a: 'a@x.example' }), rules: [liveRule('r', 1, 'a@x.example')] };
  const whole = { ...sections, credentials: [{ name: 'p' }, { name: 'q' }] };

  test('for a missing domain does nothing', () => {
    const result = plan(desired([absent(ACME)]), observed([]));
    expect([result.changes, result.withheld, result.warnings, result.guards]).toEqual([[], [], [], []]);
  });

  test('deletes the domain, says what goes with it, and counts that nowhere', () => {
    const result = plan(desired([absent(ACME)]), observed([live(ACME, whole)]));
    expect(result.changes).toEqual([
      {
        kind: 'domain',
        action: 'delete',
        domain: ACME,
        name: ACME,
        id: null,
        observed: { notification_email: 'ops@acme.example', whitelabel: null },
        desired: null,
        fields: [],
        stage: 2,
        conditional: false,
        reason: 'tombstone',
        source: at(1),
        contents: { aliases: 1, rules: 1, credentials: 2 },
      },
    ]);
    expect(result.summary).toMatchObject({ delete: 1, unchanged: 0, unmanaged: 0 });
  });

  test.each<['aliases' | 'rules' | 'credentials']>([['aliases'], ['rules'], ['credentials']])(
    'deletes nothing where its %s were not read',
    (section) => {
      const { [section]: _, ...rest } = whole;
      const result = plan(desired([absent(ACME)]), observed([live(ACME, rest)]));
      expect(result.changes).toEqual([]);
      expect(result.withheld).toEqual([
        {
          domain: ACME,
          part: 'domain',
          cause: 'unproven',
          reason: 'the items that would be deleted with it were not read',
        },
      ]);
    },
  );

  test('the daemon never carries it out', () => {
    const result = plan(desired([absent(ACME)]), observed([live(ACME, whole)]), {
      with: { domainDeletes: 'never' },
    });
    expect([result.changes, result.guards]).toEqual([[], []]);
    expect(result.withheld).toEqual([
      {
        domain: ACME,
        part: 'domain',
        cause: 'tombstone',
        reason: 'pending-tombstone: the daemon never deletes a domain',
      },
    ]);
    expect(result.warnings).toEqual([
      {
        code: 'pending-tombstone',
        message: 'acme.example has a tombstone, but the daemon never deletes a domain',
        hint: '`fwdsync apply --allow-domain-delete acme.example` deletes it',
        source: at(1),
      },
    ]);
  });
});
