import { readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import planSchema from '../../../../schemas/plan.v1.schema.json' with { type: 'json' };
import reportSchema from '../../../../schemas/report.v1.schema.json' with { type: 'json' };
import type { PlanDocument } from '../../../../src/core/plan/document/document.ts';
import { hmacWith } from '../../../../src/client/http/hmac.ts';
import { sha256 } from '../../../../src/cli/output/output.ts';
import { sealPlan, type SavedPlan } from '../../../../src/core/plan/document/saved.ts';
import { byHand } from '../../../support/by-hand.ts';
import { commandScene, type CommandScene } from '../../support/scene.ts';
import { everyNth } from '../../../support/share.ts';

const LIVE = [
  { alias: 'sales', forward: 'bob@corp.example' },
  { alias: 'old', forward: 'dan@corp.example' },
];
const MANIFEST = `domains:
  acme.example:
    aliases:
      sales: carol@corp.example
      info: ana@corp.example
      old: { state: absent }
  other.example:
    aliases: {}
`;

async function savedScene(flags: readonly string[] = [], manifest = MANIFEST): Promise<CommandScene> {
  const scene = await commandScene({
    seed: { domains: [{ domain: 'acme.example', aliases: LIVE }, { domain: 'other.example' }] },
    manifest,
  });
  await scene.run(['plan', '--out', 'plan.json', ...flags]);
  scene.emulator.journal.clear();
  return scene;
}

/** Changes the destination of the alias `sales`, as in the dashboard. */
function reroute(scene: CommandScene, forward: string): void {
  const { domains, ...rest } = scene.emulator.store.dump();
  scene.emulator.store.replace({
    ...rest,
    domains: domains.map((domain) => ({
      ...domain,
      aliases: domain.aliases.map((alias) => (alias.alias === 'sales' ? { ...alias, forward } : alias)),
    })),
  });
}

const planOf = async (scene: CommandScene): Promise<PlanDocument> =>
  JSON.parse(await readFile(join(scene.directory, 'plan.json'), 'utf8')) as PlanDocument;

const editPlan = async (scene: CommandScene, edit: (plan: PlanDocument) => object): Promise<void> =>
  writeFile(join(scene.directory, 'plan.json'), JSON.stringify(edit(await planOf(scene))));

/** Forges a plan without the key. */
const forgePlan = async (scene: CommandScene, edit: (plan: PlanDocument) => PlanDocument): Promise<void> =>
  editPlan(scene, (saved) => {
    const { checksum: _, seal: __, ...plan } = edit(saved) as SavedPlan;
    return sealPlan(plan, { sha256, hmac: hmacWith('another key') });
  });

describe('a saved plan', () => {
  test('matches its schema and is what --format json prints', async () => {
    const scene = await savedScene();
    const validate = new Ajv2020({ validateFormats: false }).compile(planSchema);
    const {
      createdAt: _,
      checksum: __,
      forecast: ___,
      seal: ____,
      ...saved
    } = (await planOf(scene)) as SavedPlan;
    expect(validate(await planOf(scene)), JSON.stringify(validate.errors)).toBe(true);
    const printed = await scene.run(['plan', '--format', 'json']);
    expect(JSON.parse(printed.stdout)).toMatchObject(saved);
  });

  test('runs without --yes when nothing changed since', async () => {
    const scene = await savedScene();
    const { code, stdout } = await scene.run(['apply', 'plan.json']);
    expect(stdout).toContain('converged');
    expect(code).toBe(0);
    expect((await scene.run(['plan', '--detailed-exitcode'])).code).toBe(0);
  });

  test('is made again with the allowances that it was made with', async () => {
    const silent = 'lint: { off: [no-postmaster, no-abuse] }\n';
    const domains = `domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases: { info: a@x.example }\n`;
    const scene = await savedScene(['--allow-deletes', '2'], `${silent}${domains}`);
    const { code, stderr } = await scene.run(['apply', 'plan.json', '--format', 'json']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.each(
    everyNth(2, [['--skip-refused'], ['--domain', 'acme.example'], ['--mask', '--domain', 'acme.example']]),
  )('keeps %s %s', async (...flags) => {
    const manifest = `${MANIFEST}  old.example: { state: absent }\n`;
    const scene = await savedScene(flags, manifest);
    expect((await scene.run(['apply', 'plan.json'])).code).toBe(0);
    expect(scene.writes().length).toBeGreaterThan(0);
  });

  test('with nothing left to do: unchanged, although the plan is no longer the same', async () => {
    const scene = await savedScene();
    await scene.run(['apply', '--yes']);
    scene.emulator.journal.clear();
    const { code, stdout } = await scene.run(['apply', 'plan.json', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'unchanged' });
    expect(scene.writes()).toEqual([]);
    expect(code).toBe(0);
  });

  test('that a guard refused is saved as refused, and stays refused', async () => {
    const manifest = `domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases: { sales: bob@corp.example, z: { state: absent } }\n    ignore: {}\n  other.example: { state: absent }\n`;
    const scene = await savedScene([], manifest);
    expect((await planOf(scene)).guards).toContainEqual(
      expect.objectContaining({ guard: 'domain-delete', allowed: false }),
    );
    expect((await scene.run(['apply', 'plan.json'])).code).toBe(4);
    expect(scene.writes()).toEqual([]);
  });

  test('holds no value of a reference, and no digit of it changes what is stale', async () => {
    const manifest = `domains:\n  acme.example:\n    aliases: { sales: { env: BOSS } }\n`;
    const scene = await savedScene([], 'domains: {}\n');
    await scene.manifest(manifest);
    const env = { BOSS: 'secret.person@home.example' };
    for (const format of ['text', 'json']) {
      const made = await scene.run(['plan', '--out', 'plan.json', '--format', format], { env });
      expect(made.stdout).toContain('{ env: BOSS }');
      expect(made.stdout).not.toContain('secret.person');
    }
    expect(await readFile(join(scene.directory, 'plan.json'), 'utf8')).not.toContain('secret.person');
    const other = await scene.run(['apply', 'plan.json'], { env: { BOSS: 'somebody.else@home.example' } });
    expect(other.code).toBe(6);
    expect(other.stdout + other.stderr).not.toContain('somebody.else');
    expect((await scene.run(['apply', 'plan.json'], { env })).code).toBe(0);
  });
});

describe('a plan of a machine without the state directory, applied on one that has it', () => {
  const planElsewhere = async (scene: CommandScene, env: Readonly<Record<string, string>> = {}) => {
    const FWDSYNC_STATE_DIR = join(scene.directory, 'another-machine');
    await scene.run(['plan', '--out', 'plan.json'], { env: { ...env, FWDSYNC_STATE_DIR } });
    scene.emulator.journal.clear();
  };

  test('corrects drift, which only the second knows to be drift; and the other way round', async () => {
    const scene = await savedScene();
    await scene.run(['apply', 'plan.json']);
    reroute(scene, 'eve@corp.example');
    await planElsewhere(scene);
    expect((await planOf(scene)).changes).toMatchObject([{ name: 'sales', reason: 'manifest' }]);
    expect((await scene.run(['apply', 'plan.json'])).code).toBe(0);
    expect(scene.writes()).toHaveLength(1);

    reroute(scene, 'eve@corp.example');
    await scene.run(['plan', '--out', 'plan.json']);
    expect((await planOf(scene)).changes).toMatchObject([{ name: 'sales', reason: 'drift' }]);
    const FWDSYNC_STATE_DIR = join(scene.directory, 'a-third-machine');
    expect((await scene.run(['apply', 'plan.json'], { env: { FWDSYNC_STATE_DIR } })).code).toBe(0);
  });

  test('sends a password that only the second knows to be another one', async () => {
    const manifest = `domains:
  acme.example:
    aliases: { info: ana@corp.example }
    credentials: { carol: { password: { env: CAROL } } }
`;
    const scene = await savedScene([], manifest);
    await scene.run(['apply', '--yes'], { env: { CAROL: 'correct horse' } });
    await scene.manifest(manifest.replace('ana@', 'eve@'));
    await planElsewhere(scene, { CAROL: 'battery staple' });
    expect((await planOf(scene)).changes).toMatchObject([{ name: 'info' }]);
    expect((await scene.run(['apply', 'plan.json'], { env: { CAROL: 'battery staple' } })).code).toBe(0);
    expect(scene.writes()).toHaveLength(2);
  });

  test('is held to the guards that only the second can check', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `d${index}`);
    const manifestOf = (some: readonly string[]): string =>
      `domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases: { ${some.map((name) => `${name}: a@x.example`).join(', ')} }\n`;
    const scene = await savedScene(['--allow-deletes', '2'], manifestOf(names));
    await scene.run(['apply', 'plan.json']);
    await scene.manifest(manifestOf(names.slice(3)));
    await planElsewhere(scene);
    expect((await planOf(scene)).guards).toEqual([]);
    const { code, stdout } = await scene.run(['apply', 'plan.json']);
    expect(stdout).toContain('[manifest-shrink]');
    expect([code, scene.writes()]).toEqual([4, []]);
  });

  test('is stale where the second would do something that it does not say', async () => {
    const rule = (condition: string): string =>
      `domains:\n  acme.example:\n    rules: [{ name: vip, regex: ${condition}, scopes: [subject], forward: v@x.example }]\n`;
    const scene = await savedScene([], rule('old'));
    const acme = '/v4/domains/acme.example';
    const config = { regex: 'old', scopes: ['subject'], forward: 'v@x.example' };
    scene.emulator.faults.push({
      match: { method: 'GET' },
      do: {
        kind: 'edit',
        request: { method: 'POST', path: `${acme}/rules`, body: { type: 'regex', config } },
      },
    });
    await scene.run(['apply', '--yes']);
    await scene.manifest(rule('new'));
    await planElsewhere(scene);
    expect((await planOf(scene)).changes).toMatchObject([{ name: 'vip', action: 'add' }]);
    const { code, stderr } = await scene.run(['apply', 'plan.json']);
    expect(stderr).toContain('acme.example rule vip\n    was: not planned\n    is:  ~');
    expect([code, scene.writes()]).toEqual([6, []]);
  });
});

describe('64, before anything is read', () => {
  test.each(
    everyNth(3, [
      ['--allow-deletes', '3'],
      ['--allow-unrouted', 'a@acme.example'],
      ['--rotate', 'a@acme.example'],
      ['--domain', 'acme.example'],
      ['--skip-refused'],
    ]),
  )('%s %s given again', async (...flags) => {
    const scene = await savedScene();
    const { code, stderr } = await scene.run(['apply', 'plan.json', ...flags]);
    expect(stderr).toContain(flags[0]);
    expect(scene.requests()).toEqual([]);
    expect(code).toBe(64);
  });
});

describe('stale: 6 and nothing is written', () => {
  const stale = async (scene: CommandScene, args: readonly string[] = []): Promise<string> => {
    const { code, stderr } = await scene.run(['apply', 'plan.json', ...args]);
    expect(code).toBe(6);
    expect(scene.writes()).toEqual([]);
    return stderr;
  };

  test('the account was edited: item by item', async () => {
    const scene = await savedScene();
    reroute(scene, 'eve@corp.example');
    expect(await stale(scene)).toContain(
      [
        'acme.example alias sales',
        '    was: ~ bob@corp.example -> carol@corp.example',
        '    is:  ~ eve@corp.example -> carol@corp.example',
      ].join('\n'),
    );
  });

  test.each<[string, object, readonly string[]]>(
    everyNth(2, [
      [
        'an alias is pointed at what the plan deletes',
        { alias: 'desk', forward: 'old@acme.example' },
        ['mail to desk@acme.example', '    was: not planned', '    is:  dan@corp.example -> refused'],
      ],
      [
        'a catch-all to a stranger takes what the plan shows as lost',
        { alias: '*', forward: 'eve@stranger.example' },
        [
          'mail to old@acme.example',
          '    was: dan@corp.example -> refused',
          '    is:  dan@corp.example -> eve@stranger.example',
        ],
      ],
    ]),
  )('%s', async (_, alias, lines) => {
    const scene = await savedScene();
    expect((await planOf(scene)).routes).toContainEqual(
      expect.objectContaining({ address: 'old@acme.example', kind: 'lost' }),
    );
    await byHand(scene.emulator, 'POST', '/v4/domains/acme.example/aliases', alias);
    scene.emulator.journal.clear();
    expect(await stale(scene)).toContain(lines.join('\n'));
  });

  test('the account has what was to be added', async () => {
    const scene = await savedScene();
    reroute(scene, 'carol@corp.example');
    expect(await stale(scene)).toContain('    is:  not planned');
  });

  test('the manifest was edited, also where the plan stays the same', async () => {
    const scene = await savedScene();
    await scene.manifest(`${MANIFEST}  new.example:\n    aliases: { a: b@c.example }\n`);
    const said = await stale(scene);
    expect(said).toContain('manifest\n    was: as it was planned\n    is:  edited since');
    expect(said).toContain('new.example domain\n    was: not planned');
    await scene.manifest(MANIFEST.replace('aliases: {}', 'aliases: { x: { state: absent } }'));
    await stale(scene);
  });

  test('a layout that says the same is no edit', async () => {
    const scene = await savedScene();
    await scene.manifest(`# a comment\n${MANIFEST}`);
    expect((await scene.run(['apply', 'plan.json'])).code).toBe(0);
  });

  test('the document tells the same in JSON', async () => {
    const scene = await savedScene();
    reroute(scene, 'eve@corp.example');
    const { code, stdout } = await scene.run(['apply', 'plan.json', '--format', 'json']);
    const report = JSON.parse(stdout) as { stale: readonly object[] };
    const validate = new Ajv2020({ validateFormats: false }).compile(reportSchema);
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(report.stale).toMatchObject([
      { subject: 'acme.example alias sales' },
      { subject: 'mail to sales@acme.example' },
    ]);
    expect(code).toBe(6);
  });

  test.each<[string, (plan: PlanDocument) => object]>(
    everyNth(3, [
      ['its changes', (plan) => ({ ...plan, changes: plan.changes.slice(1) })],
      ['its digest', (plan) => ({ ...plan, digest: `sha256:${'0'.repeat(64)}` })],
      ['its options', (plan) => ({ ...plan, options: { ...plan.options, allowDeletes: 100 } })],
      ['its checksum', (plan) => ({ ...plan, checksum: undefined })],
    ]),
  )('%s were edited: nothing is requested', async (_, edit) => {
    const scene = await savedScene();
    await editPlan(scene, edit);
    expect(await stale(scene)).toContain('was edited since it was made');
    expect(scene.requests()).toEqual([]);
  });

  test('it was forged, with a checksum that fits: nothing is requested', async () => {
    const scene = await savedScene();
    await forgePlan(scene, (plan) => ({ ...plan, options: { ...plan.options, allowDeletes: 100 } }));
    expect(await stale(scene)).toContain('made with another API key');
    expect(scene.requests()).toEqual([]);
  });

  test('-f or FWDSYNC_FILE names other manifests: nothing is requested', async () => {
    const scene = await savedScene();
    await writeFile(join(scene.directory, 'other.yaml'), `version: 1\n${MANIFEST}`);
    expect(await stale(scene, ['-f', 'other.yaml'])).toContain('-f names other.yaml');
    const env = { FWDSYNC_FILE: `fwdsync.yaml${delimiter}other.yaml` };
    const { code, stderr } = await scene.run(['apply', 'plan.json'], { env });
    expect(stderr).toContain('FWDSYNC_FILE names fwdsync.yaml, other.yaml');
    expect(code).toBe(6);
    expect(scene.requests()).toEqual([]);
    const file = join(scene.directory, 'fwdsync.yaml');
    expect((await scene.run(['apply', 'plan.json'], { env: { FWDSYNC_FILE: file } })).code).toBe(0);
  });

  test('it is of no domain, as --quick saves it, and there is something to do by now', async () => {
    const scene = await savedScene();
    await scene.run(['apply', '--yes']);
    await scene.run(['plan', '--quick', '--out', 'plan.json']);
    expect((await planOf(scene)).options.domains).toEqual([]);
    expect((await scene.run(['apply', 'plan.json'])).code).toBe(0);
    reroute(scene, 'eve@corp.example');
    scene.emulator.journal.clear();
    expect(await stale(scene)).toContain('acme.example alias sales');
  });

  test('all of its domains are gone from the manifest', async () => {
    const scene = await savedScene(['--domain', 'acme.example']);
    await scene.manifest('domains: { other.example: {} }\n');
    expect(await stale(scene)).toContain('acme.example\n    was: planned\n    is:  not in the manifest');
  });

  test('a manifest is missing', async () => {
    const scene = await savedScene();
    await rm(join(scene.directory, 'fwdsync.yaml'));
    expect(await stale(scene)).toContain('fwdsync.yaml');
  });

  test('an account that cannot be read cannot be compared: 1, and nothing is written', async () => {
    const scene = await savedScene();
    scene.emulator.faults.push({
      match: { path: 'acme.example/aliases', times: 'always' },
      do: { kind: 'status', code: 500 },
    });
    const { code, stderr } = await scene.run(['apply', 'plan.json']);
    expect(stderr).toContain('acme.example');
    expect(scene.writes()).toEqual([]);
    expect(code).toBe(1);
  });

  test('the plan was made for another address', async () => {
    const scene = await savedScene();
    await stale(scene, ['--api-version', 'v3']);
  });

  test('a domain of it is no longer in the manifest', async () => {
    const two = `${MANIFEST}      info: ana@corp.example\n`.replace('aliases: {}', 'aliases:');
    const scene = await savedScene(['--domain', 'acme.example', '--domain', 'other.example'], two);
    await scene.manifest('domains:\n  other.example:\n    aliases: { info: ana@corp.example }\n');
    expect(await stale(scene)).toContain('acme.example\n    was: planned\n    is:  not in the manifest');
  });
});

describe('races: another user edits during apply', () => {
  test('the account, before each answer until its aliases were read: 6; afterwards what was approved runs', async () => {
    const quiet = await savedScene();
    await quiet.run(['apply', 'plan.json']);
    const reads = quiet.requests().map(({ method, path }) => `${method} ${path}`);
    const listing = reads.findIndex((read) => read.includes('/acme.example/aliases'));
    expect(listing).toBeGreaterThan(0);
    for (const moment of everyNth(3, [...Array(listing + 1).keys()])) {
      const scene = await savedScene();
      let seen = 0;
      const stop = scene.emulator.onRequest(({ phase }) => {
        if (phase === 'before' && seen++ === moment) reroute(scene, 'eve@corp.example');
      });
      onTestFinished(stop);
      const { code } = await scene.run(['apply', 'plan.json']);
      expect({ moment, code, writes: scene.writes().length }).toEqual({ moment, code: 6, writes: 0 });
    }
  });

  test('the manifest, before each answer until the account was read: 6', async () => {
    const quiet = await savedScene();
    await quiet.run(['apply', 'plan.json']);
    const first = quiet.requests().findIndex(({ method }) => method !== 'GET');
    expect(first).toBeGreaterThan(2);
    for (const moment of everyNth(3, [...Array(first).keys()])) {
      const scene = await savedScene();
      let seen = 0;
      const stop = scene.emulator.onRequest(async ({ phase }) => {
        if (phase === 'before' && seen++ === moment) await scene.manifest('domains: {}\n');
      });
      onTestFinished(stop);
      const { code } = await scene.run(['apply', 'plan.json']);
      expect({ moment, code, writes: scene.writes().length }).toEqual({ moment, code: 6, writes: 0 });
    }
  });
});

describe('two plans of two pull requests', () => {
  test('once the first is merged and applied the second is stale; planned again it runs', async () => {
    const scene = await savedScene([], 'domains:\n  acme.example:\n    aliases: { info: a@x.example }\n');
    const both = 'domains:\n  acme.example:\n    aliases: { info: a@x.example, help: b@x.example }\n';
    await scene.manifest('domains:\n  acme.example:\n    aliases: { help: b@x.example }\n');
    await scene.run(['plan', '--out', 'second.json']);
    await scene.manifest('domains:\n  acme.example:\n    aliases: { info: a@x.example }\n');
    expect((await scene.run(['apply', 'plan.json'])).code).toBe(0);
    await scene.manifest(both);
    expect((await scene.run(['apply', 'second.json'])).code).toBe(6);
    await scene.run(['plan', '--out', 'second.json']);
    expect((await scene.run(['apply', 'second.json'])).code).toBe(0);
  });
});

describe('show', () => {
  test.each(everyNth(2, ['text', 'json']))(
    'prints what plan printed in %s, without a network',
    async (format) => {
      const scene = await savedScene();
      const printed = await scene.run(['plan', '--out', 'plan.json', '--format', format]);
      scene.emulator.journal.clear();
      const shown = await scene.run(['show', 'plan.json', '--format', format]);
      expect(shown.stdout).toBe(printed.stdout);
      expect(scene.requests()).toEqual([]);
      expect(shown.code).toBe(0);
    },
  );

  test('an edited plan: 1, and none of it is printed', async () => {
    const scene = await savedScene();
    await editPlan(scene, (plan) => ({ ...plan, changes: [] }));
    for (const format of ['text', 'json', 'markdown', 'github']) {
      const { code, stdout, stderr } = await scene.run(['show', 'plan.json', '--format', format]);
      expect(stderr).toContain('plan.json was edited');
      expect(stdout).toBe('');
      expect(code).toBe(1);
    }
  });

  test('a forged plan with a matching checksum: 1 if the environment has the key, otherwise escaped', async () => {
    const scene = await savedScene();
    await forgePlan(scene, (plan) => ({
      ...plan,
      warnings: [
        {
          severity: 'warning',
          code: 'over-quota',
          message: '\u001b[2J\u009bX\n##[add-path]/tmp',
          source: null,
        },
      ],
    }));
    const known = await scene.run(['show', 'plan.json']);
    expect(known).toMatchObject({ code: 1, stdout: '' });
    expect(known.stderr).toContain('made with another API key');
    for (const format of ['text', 'json', 'markdown', 'github']) {
      const args = ['show', 'plan.json', '--format', format];
      const { code, stdout } = await scene.run(args, { env: { FWDSYNC_API_KEY: '' } });
      expect(stdout).not.toMatch(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/u);
      if (format !== 'json') expect(stdout).not.toContain('##[');
      expect(code).toBe(0);
    }
  });

  test.each<[string, (plan: PlanDocument) => object]>(
    everyNth(3, [
      ['options: null', (plan) => ({ ...plan, options: null })],
      ['files: [7]', (plan) => ({ ...plan, manifest: { ...plan.manifest, files: [7] } })],
      ['changes: [null]', (plan) => ({ ...plan, changes: [null] })],
    ]),
  )('1, and apply 1, of a malformed plan: %s', async (_, edit) => {
    const scene = await savedScene();
    await forgePlan(scene, edit as (plan: PlanDocument) => PlanDocument);
    for (const command of ['show', 'apply']) {
      const { code, stdout, stderr } = await scene.run([command, 'plan.json']);
      expect(stderr).toContain('plan.json is not a saved plan: it has no valid ');
      expect(stdout).toBe('');
      expect(code).toBe(1);
    }
    expect(scene.requests()).toEqual([]);
  });

  test.each(
    everyNth(3, [
      ['no JSON', 'domains: {}'],
      ['another document', '{"kind":"fwdsync/report@1"}'],
      ['half a plan', '{"kind":"fwdsync/plan@1","changes":[]}'],
      ['null', 'null'],
    ]),
  )('1: %s', async (_, text) => {
    const scene = await commandScene();
    await writeFile(join(scene.directory, 'plan.json'), text);
    const { code, stderr } = await scene.run(['show', 'plan.json']);
    expect(stderr).toContain('plan.json is not a saved plan');
    expect(code).toBe(1);
  });

  test('1: a file that is not there', async () => {
    const scene = await commandScene();
    expect((await scene.run(['show', 'missing.json'])).code).toBe(1);
  });
});
