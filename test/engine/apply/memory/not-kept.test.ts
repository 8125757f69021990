import { describe, expect, test } from 'vitest';
import type { State } from '../../../../src/emulator/account/state.ts';
import type { EmulatorStore } from '../../../../src/emulator/account/store.ts';
import type { Switches } from '../../../../src/emulator/account/switches.ts';
import { openScene, type RunResult, type Scene } from '../support/harness.ts';

const notKept = ({ report }: RunResult): readonly string[] =>
  report.notKept.map(({ action, kind, name, message }) => `${action} ${kind} ${name}: ${message}`);

/** Edits the account in the dashboard. */
function byHand(scene: Scene, edit: (domain: LiveDomain) => void): void {
  edit(liveDomain(scene.account.emulator.store));
}

type LiveDomain = NonNullable<ReturnType<typeof liveDomain>>;

function liveDomain({ state }: EmulatorStore) {
  const [domain] = state.domains.values();
  if (domain === undefined) throw new Error('no domain');
  return domain;
}

function aliasIn(domain: LiveDomain, wanted: string) {
  const alias = [...domain.aliases.values()].find(({ alias }) => alias === wanted);
  if (alias === undefined) throw new Error(`no alias ${wanted}`);
  return alias;
}

function vanish(state: State, kind: 'alias' | 'rule' | 'credential'): void {
  const [domain] = state.domains.values();
  if (domain === undefined) return;
  if (kind === 'alias') domain.aliases.clear();
  if (kind === 'rule') domain.rules.clear();
  if (kind === 'credential') domain.credentials.clear();
}

/** Repeats an edit before each of these requests. */
function always(scene: Scene, edit: (domain: LiveDomain) => void): void {
  scene.account.emulator.faults.push({
    match: { method: 'GET', times: 'always' },
    do: { kind: 'edit', run: (store) => edit(liveDomain(store)) },
  });
}

describe('a service that writes local parts in lower case', () => {
  const manifest = `
domains:
  acme.example:
    aliases: { sales: Sales.Team@corp.example }`;
  const seed = {
    domains: [{ domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'old@corp.example' }] }],
  };
  const open = (): Promise<Scene> => openScene({ manifest, seed, switches: { forwardEcho: 'lower-case' } });

  test('is told once, and then is a warning', async () => {
    const scene = await open();
    const first = await scene.run();
    expect(first.report.outcome).toBe('partial');
    expect(notKept(first)).toEqual([
      'update alias sales: the service accepted it but shows another forward: sales.team@corp.example; it is sent again when its entry or the live value changes',
    ]);
    expect(first.writes).toHaveLength(1);
    expect(first.progress.filter(({ kind }) => kind === 'verifying')).toHaveLength(3);
    const second = await scene.run();
    expect([second.report.outcome, second.writes]).toEqual(['unchanged', []]);
    expect(second.after.warnings.map(({ code }) => code)).toEqual(['not-kept']);
    const changed = await scene.run({ manifest: manifest.replace('Sales', 'Sale') });
    expect(changed.writes).toMatchObject([{ method: 'PUT' }]);
  });

  test('an alias that gets another destination afterwards is a change', async () => {
    const scene = await open();
    await scene.run();
    byHand(scene, (domain) => (aliasIn(domain, 'sales').forward = 'eve@elsewhere.example'));
    expect((await scene.plan()).changes).toMatchObject([
      { action: 'update', name: 'sales', observed: { forward: ['eve@elsewhere.example'] } },
    ]);
    // Now its state is known, and there is nothing to do.
    const { report, end } = await scene.run();
    expect(report.outcome).toBe('converged');
    expect(end.domains[0]?.aliases[0]?.forward).toBe('sales.team@corp.example');
  });

  test('an alias that another user deletes afterwards is added again', async () => {
    const scene = await open();
    await scene.run();
    scene.account.emulator.faults.push({
      match: { method: 'GET' },
      do: { kind: 'edit', request: { method: 'DELETE', path: '/v4/domains/acme.example/aliases/1' } },
    });
    const { report, end } = await scene.run({ company: 'others' });
    expect(report.outcome).toBe('converged');
    expect(end.domains[0]?.aliases[0]?.forward).toBe('sales.team@corp.example');
  });
});

test('a listing that differs from the answer of a write is known after two reads 10 s apart', async () => {
  const scene = await openScene({
    manifest: 'domains:\n  acme.example:\n    aliases: { sales: Sales@corp.example }',
    seed: {
      domains: [{ domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'old@corp.example' }] }],
    },
  });
  const first = await scene.run({
    beforeApply: () =>
      always(scene, (domain) => {
        const alias = aliasIn(domain, 'sales');
        alias.forward = alias.forward.toLowerCase();
      }),
  });
  expect(first.report.notKept).toHaveLength(1);
  expect(first.after.changes).toEqual([]);
});

test('a value that changes between reads does not count as kept by the service', async () => {
  const scene = await openScene({
    manifest: 'domains:\n  acme.example:\n    aliases: { sales: Sales@corp.example }',
    seed: {
      domains: [{ domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'old@corp.example' }] }],
    },
  });
  let reads = 0;
  const first = await scene.run({
    beforeApply: () =>
      always(scene, (domain) => {
        reads += 1;
        aliasIn(domain, 'sales').forward = `eve-${reads}@corp.example`;
      }),
  });
  expect(first.report.outcome).toBe('partial');
  expect(notKept(first)[0]).toContain('the next run sends it again');
  expect(first.after.changes).toMatchObject([{ action: 'update', name: 'sales' }]);
});

describe('a change that left the old value', () => {
  const manifest = `
domains:
  acme.example:
    whitelabel: none
    aliases: { info: a@corp.example }`;
  const seed = {
    domains: [{ domain: 'acme.example', whitelabel: 'mail.partner.example' }],
    whitelabels: ['mail.partner.example'],
  };

  test('in a setting is reported by each run, and sent again by the next', async () => {
    const scene = await openScene({ manifest, seed, switches: { nullOnUpdate: 'ignore' } });
    const first = await scene.run();
    expect(first.report.outcome).toBe('partial');
    expect(first.report.notKept).toMatchObject([
      { action: 'update', kind: 'domain', name: 'acme.example', source: { line: 4, column: 3 } },
    ]);
    expect(notKept(first)[0]).toContain('another whitelabel; the next run sends it again');
    expect(first.report.applied.map(({ name }) => name)).toEqual(['info']);
    expect(first.writes.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    const second = await scene.run();
    expect(second.report).toMatchObject({ outcome: 'partial', notKept: [{ kind: 'domain' }] });
    expect(second.writes).toMatchObject([{ method: 'PUT' }]);
  });

  test('in a rule, although another field of it changed', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const scene = await openScene({
      manifest: `domains:\n  acme.example:\n    rules: [{ id: ${id}, name: vip, alias: vip, forward: New@corp.example, active: false }]`,
      seed: {
        domains: [
          {
            domain: 'acme.example',
            rules: [{ id, type: 'alias', config: { alias: 'vip', forward: 'old@corp.example' } }],
          },
        ],
      },
      switches: { forwardEcho: 'lower-case' },
    });
    const { report, after } = await scene.run({
      beforeApply: () =>
        always(scene, (domain) => {
          for (const rule of domain.rules.values()) Object.assign(rule, { active: true });
        }),
    });
    expect(report).toMatchObject({ outcome: 'partial', notKept: [{ name: 'vip' }] });
    expect(after.changes).toMatchObject([{ name: 'vip', fields: ['forward', 'active'] }]);
  });
});

describe('items that were added and are missing afterwards', () => {
  const manifest = `
domains:
  acme.example:
    aliases: { info: a@corp.example }
    rules: [{ name: vip, alias: vip, forward: v@corp.example }]
    credentials: { carol: { password: { env: PASSWORD } } }`;

  test.each(['alias', 'rule', 'credential'] as const)(
    'a vanished %s is added again by the next run',
    async (kind) => {
      const scene = await openScene({ manifest, seed: { domains: [{ domain: 'acme.example' }] } });
      const first = await scene.run({
        beforeApply: () =>
          scene.account.emulator.faults.push({
            match: { method: 'GET', times: 'always' },
            do: { kind: 'edit', run: ({ state }) => vanish(state, kind) },
          }),
      });
      expect(first.report).toMatchObject({ outcome: 'partial', notKept: [{ action: 'add', kind }] });
      expect(notKept(first)[0]).toContain('does not show it; the next run sends it again');
      expect(first.after.changes).toMatchObject([{ action: 'add', kind }]);
      const second = await scene.run();
      expect(second.report.outcome).toBe('converged');
    },
  );
});

describe('listings that are late', () => {
  const manifest = `
domains:
  acme.example:
    prune: true
    aliases: { sales: new@corp.example, info: a@corp.example }
    rules: [{ name: vip, alias: vip, forward: new@corp.example }]`;
  const seed = {
    domains: [
      {
        domain: 'acme.example',
        aliases: [
          { alias: 'sales', forward: 'old@corp.example' },
          { alias: 'gone', forward: 'x@corp.example' },
        ],
        rules: [
          {
            id: '00000000-0000-4000-8000-000000000001',
            type: 'alias',
            config: { alias: 'old', forward: 'x@corp.example' },
          },
        ],
      },
    ],
  } as const;
  const allow = { guards: { maxDeletes: 9, maxDeletePercent: 100, allow: [] } };
  const open = (switches: Partial<Switches>): Promise<Scene> => openScene({ manifest, seed, switches });

  test('by one read: the run ends converged', async () => {
    const scene = await open({ listingLag: 1 });
    const { report } = await scene.run({ policy: allow });
    expect([report.notKept, report.failed, report.skipped]).toEqual([[], [], []]);
    expect(report.outcome).toBe('converged');
  });

  test.each([2, 3])(
    'by %i reads: a missing change is reported, and no run forgets it',
    async (listingLag) => {
      const scene = await open({ listingLag });
      const outcomes: string[] = [];
      for (let runs = 0; runs < 6; runs += 1) {
        outcomes.push((await scene.run({ policy: allow, company: 'others' })).report.outcome);
      }
      expect(outcomes.at(-1)).toBe('unchanged');
      const { aliases, rules } = scene.account.emulator.store.dump().domains[0] ?? { aliases: [], rules: [] };
      expect(aliases.map(({ alias, forward }) => [alias, forward])).toEqual([
        ['info', 'a@corp.example'],
        ['sales', 'new@corp.example'],
      ]);
      expect(rules.map(({ config }) => config['alias'])).toEqual(['vip']);
    },
  );
});
