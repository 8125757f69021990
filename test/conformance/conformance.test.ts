import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DumpedDomain } from '../../src/emulator/account/dump.ts';
import { runCommand, type CommandResult } from '../golden/support/cli.ts';
import { API_KEY, EMAIL, testAccount, type TestAccount } from '../support/account.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { DOMAIN, FIELDS, SECRET, type FieldCase } from './fields.ts';
import { everyNth } from '../support/share.ts';

const VERSIONS = ['v4', 'v3'] as const;
type Version = (typeof VERSIONS)[number];

const CASES = VERSIONS.flatMap((version) =>
  Object.values(FIELDS)
    .filter(({ onlyOn = version }) => onlyOn === version)
    .map((field) => ({ version, field, title: `${field.what} on ${version}` })),
);

interface PlanDocument {
  readonly digest: string;
  readonly changes: readonly {
    readonly action: string;
    readonly kind: string;
    readonly name: string;
    readonly fields: readonly string[];
    readonly reason: string;
  }[];
}

/** An emulated account, a manifest and the command between them. */
interface Bench {
  readonly account: TestAccount;
  readonly directory: string;
  manifest(lines: string, more?: string): void;
  run(...args: readonly string[]): Promise<CommandResult>;
  plan(...args: readonly string[]): Promise<PlanDocument>;
  apply(...args: readonly string[]): Promise<void>;
  live(): DumpedDomain | undefined;
  edit(change: (domain: DumpedDomain) => DumpedDomain): void;
}

async function openBench(version: Version, env: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const account = await testAccount(
    {
      account: { email: EMAIL },
      whitelabels: ['mail.partner.example', 'mail.other.example'],
      domains: [
        {
          domain: DOMAIN,
          routing_engine: 'alias',
          aliases: [{ alias: '*', forward: 'all@corp.example' }],
        },
      ],
    },
    { version },
  );
  const { emulator, clock } = account;
  const directory = await temporaryDirectory();
  const terminal = {
    cwd: directory,
    clock,
    env: {
      FWDSYNC_API_URL: emulator.urls[version],
      FWDSYNC_API_KEY: API_KEY,
      FWDSYNC_STATE_DIR: join(directory, 'state'),
      ...env,
    },
  };
  const run = (...args: readonly string[]): Promise<CommandResult> => {
    clock.advance(60_000);
    return runCommand(args, terminal);
  };
  return {
    account,
    directory,
    manifest: (lines, more = '') =>
      writeFileSync(
        join(directory, 'fwdsync.yaml'),
        `version: 1\napi: { account: ${EMAIL} }\ndomains:\n  ${DOMAIN}:\n${lines}${more}`,
      ),
    run,
    async plan(...args) {
      const { stdout, stderr } = await run('plan', '--format', 'json', ...args);
      expect(stdout, stderr).not.toBe('');
      return JSON.parse(stdout) as PlanDocument;
    },
    async apply(...args) {
      const result = await run('apply', '--yes', ...args);
      expect(result.exitCode, result.stdout + result.stderr).toBe(0);
    },
    live: () => emulator.store.dump().domains.find(({ domain }) => domain === DOMAIN),
    edit(change) {
      const dump = emulator.store.dump();
      const domains = dump.domains.map((domain) => (domain.domain === DOMAIN ? change(domain) : domain));
      emulator.store.replace({ ...dump, domains });
    },
  };
}

/** The domain's content without ids, times and ranks, and without fields that cannot be set. */
function content(domain: DumpedDomain | undefined): unknown {
  const volatile = /^(id|\w+_at|rank|dns|\w+_ready|routing_engine|rules_fallback_email)$/;
  return JSON.parse(
    JSON.stringify(domain ?? null, (key, value: unknown) => (volatile.test(key) ? undefined : value)),
  );
}

/** Undoes the last run, with the allowances that its refusal names. */
async function undo(bench: Bench): Promise<void> {
  const last = (await bench.run('history', '--format', 'json')).stdout;
  const { runs } = JSON.parse(last) as { readonly runs: readonly { readonly id: string }[] };
  const args = ['undo', runs[0]?.id ?? 'none', '--yes'];
  const first = await bench.run(...args);
  const allowed = new Set(first.stdout.match(/--allow-(?:unrouted|domain-delete) \S+/g));
  const words = [...allowed].flatMap((flag) => flag.split(' ')).map((word) => word.replaceAll("'", ''));
  const result = first.exitCode === 4 ? await bench.run(...args, ...words) : first;
  expect(result.exitCode, result.stdout + result.stderr).toBe(0);
}

/** Name of the field in a plan. */
function fieldOf({ what }: FieldCase): string {
  return what.slice(what.indexOf('.') + 1);
}

describe.each(everyNth(3, CASES))('$title', ({ version, field }) => {
  const [one, two] = field.values;
  const changed = [expect.objectContaining({ kind: field.what.split('.')[0], fields: [fieldOf(field)] })];

  test('is added, changed, exported, digested and undone', async () => {
    const bench = await openBench(version);
    const before = content(bench.live());
    bench.manifest(field.written(one));
    await bench.apply();
    expect(String(field.live(bench.live() as DumpedDomain))).toBe(one);
    const withOne = content(bench.live());
    const planOne = await bench.plan();
    expect(planOne.changes).toStrictEqual([]);

    bench.manifest(field.written(two));
    const planTwo = await bench.plan();
    expect(planTwo.changes).toStrictEqual(changed);
    expect(planTwo.digest).not.toBe(planOne.digest);
    await bench.apply('--allow-unrouted', `*@${DOMAIN}`);
    expect(String(field.live(bench.live() as DumpedDomain))).toBe(two);
    expect((await bench.plan()).changes).toStrictEqual([]);

    const history = JSON.parse((await bench.run('history', '--format', 'json')).stdout) as {
      readonly runs: readonly { readonly items: readonly unknown[] }[];
    };
    expect(history.runs[0]?.items).toMatchObject([{ action: 'update', fields: [fieldOf(field)] }]);

    await bench.run('export', '--out', 'exported.yaml');
    expect(readFileSync(join(bench.directory, 'exported.yaml'), 'utf8')).toContain(two);
    const exported = await bench.plan('-f', 'exported.yaml');
    expect(exported.changes).toStrictEqual([]);

    await undo(bench);
    expect(content(bench.live())).toStrictEqual(withOne);
    if (field.absent === null) return;
    bench.manifest(field.absent);
    await bench.apply();
    expect(content(bench.live())).not.toStrictEqual(withOne);
    await undo(bench);
    expect(content(bench.live())).toStrictEqual(withOne);
    expect(before).not.toStrictEqual(withOne);
  });

  test('is in the domain again when the delete of the domain is undone', async () => {
    const bench = await openBench(version);
    bench.manifest(field.written(two));
    await bench.apply();
    const before = content(bench.live());
    bench.manifest('    state: absent\n');
    await bench.apply('--allow-domain-delete', DOMAIN, '--allow-unrouted', `*@${DOMAIN}`);
    expect(bench.live()).toBeUndefined();
    await undo(bench);
    expect(content(bench.live())).toStrictEqual(before);
    expect(String(field.live(bench.live() as DumpedDomain))).toBe(two);
  });

  test('is drift when a person changes it, in a full and in a quick plan', async () => {
    const bench = await openBench(version);
    bench.manifest(field.written(one));
    await bench.apply();
    bench.edit((domain) => field.edited(domain, two));
    const drift = changed.map((change) => expect.objectContaining({ ...change.sample, reason: 'drift' }));
    expect((await bench.plan()).changes).toStrictEqual(drift);
    const quick = await bench.plan('--quick', '--drift-url', bench.account.emulator.urls.v3);
    // Only aliases and settings are in the listing that a quick plan reads.
    expect(quick.changes).toStrictEqual(field.what.startsWith('rule.') ? [] : drift);
    await bench.apply('--allow-unrouted', `*@${DOMAIN}`);
    expect(String(field.live(bench.live() as DumpedDomain))).toBe(one);
  });
});

test.each(
  everyNth(
    3,
    CASES.filter(({ field }) => field.isDestination),
  ),
)('$title is shown as its reference where its value is one', async ({ version, field }) => {
  const [one] = field.values;
  const bench = await openBench(version, { BOSS: SECRET });
  const boss = '  other.example:\n    aliases: { boss: { env: BOSS } }\n';
  bench.manifest(field.written(one), boss);
  await bench.apply();
  bench.edit((domain) => field.edited(domain, SECRET));
  const printed = [
    await bench.run('plan'),
    await bench.run('plan', '--format', 'json', '--out', 'plan.json'),
    await bench.run('apply', '--yes', '--format', 'json'),
    await bench.run('history', '--format', 'json'),
    await bench.run('blame', `probe@${DOMAIN}`, '--format', 'json'),
    await bench.run('undo', '--format', 'json'),
  ];
  expect(field.live(bench.live() as DumpedDomain)).toBe(one);
  const texts = [...printed.map(({ stdout, stderr }) => stdout + stderr), ...files(bench.directory)];
  expect(texts.filter((text) => text.toLowerCase().includes(SECRET))).toStrictEqual([]);
  expect(printed[1]?.stdout).toContain('env: BOSS');
});

describe.each(VERSIONS)('fields that cannot be set or read as a value, on %s', (version) => {
  test('the rank: a rule moves, and back', async () => {
    const bench = await openBench(version);
    const rules = (first: string, second: string): string =>
      `    rules:\n${[first, second].map((name) => `      - { name: ${name}, alias: ${name}, forward: ${name}@corp.example }\n`).join('')}`;
    bench.manifest(rules('one', 'two'));
    await bench.apply();
    const before = content(bench.live());
    bench.manifest(rules('two', 'one'));
    expect((await bench.plan()).changes).toMatchObject([{ action: 'move', kind: 'rule', fields: ['rank'] }]);
    await bench.apply();
    expect(bench.live()?.rules.map(({ config }) => config['alias'])).toStrictEqual(['two', 'one']);
    await undo(bench);
    expect(content(bench.live())).toStrictEqual(before);
  });

  test('a password: sent, rotated, never shown, gone with its credential', async () => {
    const bench = await openBench(version, { PASSWORD: SECRET });
    const [added, absent] = ['{ password: { env: PASSWORD } }', '{ state: absent }'].map(
      (entry) => `    credentials:\n      steady: {}\n      probe: ${entry}\n`,
    ) as [string, string];
    bench.edit((domain) => ({ ...domain, credentials: [{ username: 'steady', password: 'long enough' }] }));
    bench.manifest(added);
    await bench.apply();
    expect(bench.live()?.credentials).toMatchObject([{ username: 'probe', password: SECRET }, {}]);
    expect((await bench.plan()).changes).toStrictEqual([]);
    const rotated = await bench.plan('--rotate', `probe@${DOMAIN}`);
    expect(rotated.changes).toMatchObject([{ action: 'update', kind: 'credential', reason: 'rotate' }]);
    await bench.apply('--rotate', `probe@${DOMAIN}`);
    const exported = await bench.run('export');
    expect(exported.stdout).toContain('probe: {}');
    bench.manifest(absent);
    await bench.apply();
    expect(bench.live()?.credentials).toMatchObject([{ username: 'steady' }]);
    const shown = [exported.stdout, ...files(bench.directory)].filter((text) => text.includes(SECRET));
    expect(shown).toStrictEqual([]);
  });
});

/** The text of every file below a directory. */
function files(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
}
