import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Dump } from '../../../src/emulator/account/dump.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import { startEmulator, type Emulator } from '../../../src/emulator/http/server.ts';
import { ACCOUNTS, ENVIRONMENT } from '../../examples/support/accounts.ts';
import { runCommand, type Terminal } from '../../golden/support/cli.ts';
import { virtualClock } from '../../support/clock.ts';
import { everyNth } from '../../support/share.ts';
import { driftAccount } from '../support/drift.ts';
import { commandScene, type CommandScene, type Output } from '../support/scene.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The account, the manifest, and the updated manifest. */
async function update(
  seed: Seed,
  manifest: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ scene: CommandScene; result: Output; text: string }> {
  const scene = await commandScene({ seed, manifest });
  const result = await scene.run(['export', '--update', 'fwdsync.yaml'], { env });
  if (result.code === 0) {
    const plan = await scene.run(['plan', '--detailed-exitcode', '--skip-refused'], { env });
    expect(plan.code, plan.stdout + plan.stderr).toBe(0);
  }
  expect(scene.writes()).toEqual([]);
  const text = await readFile(join(scene.directory, 'fwdsync.yaml'), 'utf8');
  return { scene, result, text: text.replace('version: 1\n', '') };
}

const aliases = (entries: Readonly<Record<string, string>>) =>
  Object.entries(entries).map(([alias, forward]) => ({ alias, forward }));

const seedOf = (entries: Readonly<Record<string, string>>, more: object = {}): Seed => ({
  domains: [{ domain: 'acme.example', aliases: aliases(entries), ...more }],
});

describe('export --update', () => {
  const CHANGES: readonly (readonly [string, Readonly<Record<string, string>>, string, string])[] = [
    [
      'changes one line, and keeps comments, quotes and layout',
      { sales: 'carol@x.example', info: 'ana@x.example' },
      '# top\ndomains:\n    acme.example:   # ours\n        aliases:\n            "sales":   bob@x.example   # was Bob\n            info:  ana@x.example\n# end\n',
      '# top\ndomains:\n    acme.example:   # ours\n        aliases:\n            "sales":   carol@x.example   # was Bob\n            info:  ana@x.example\n# end\n',
    ],
    [
      'adds what a pruned section lacks, removes what the account lacks, keeps the comment of what goes',
      { info: 'ana@x.example', extra: 'eve@x.example, dan@x.example', no: 'ana@x.example' },
      'domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases:\n      # the old one\n      old: bob@x.example # for Bob\n      info: ana@x.example\n    verify: false\n',
      'domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases:\n      # the old one\n      # for Bob\n      info: ana@x.example\n      extra: [dan@x.example, eve@x.example]\n      "no": ana@x.example\n    verify: false\n',
    ],
    [
      'leaves what is not managed alone',
      { info: 'ana@x.example', extra: 'eve@x.example' },
      'domains:\n  acme.example:\n    aliases: { info: ben@x.example }\n',
      'domains:\n  acme.example:\n    aliases: { info: ana@x.example }\n',
    ],
    [
      'edits flow maps in place',
      { b: 'b@x.example', d: 'null' },
      'domains: { acme.example: { prune: true, aliases: { a: a@x.example, b: b@x.example, c: c@x.example } } }\n',
      'domains: { acme.example: { prune: true, aliases: { b: b@x.example, d: discard } } }\n',
    ],
    [
      'says that a section is empty now',
      {},
      'domains:\n  acme.example:\n    aliases: # none yet\n      a: a@x.example\n      b: b@x.example # Ben\n    verify: false\n',
      'domains:\n  acme.example:\n    aliases: {} # none yet\n      # Ben\n    verify: false\n',
    ],
    [
      'fills a section that was empty',
      { a: 'a@x.example', b: 'b@x.example' },
      'domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases: {} # none yet\n    verify: false\n',
      'domains:\n  acme.example:\n    prune: { aliases: true }\n    aliases:\n      a: a@x.example\n      b: b@x.example # none yet\n    verify: false\n',
    ],
    [
      'takes back what was to be absent',
      { fax: 'olga@x.example' },
      'domains:\n  acme.example:\n    aliases:\n      fax: { state: absent } # the line is gone\n      x:\n        state: absent\n',
      'domains:\n  acme.example:\n    aliases:\n      fax: olga@x.example # the line is gone\n      x:\n        state: absent\n',
    ],
    [
      'keeps groups and items of a list that are still true',
      {
        a: 'ana@x.example,ben@x.example,eve@x.example',
        b: 'ana@x.example',
        c: 'https://h.example/t, ana@x.example',
      },
      'destinations:\n  oncall: [ana@x.example, ben@x.example]\n  hook: https://h.example/t\ndomains:\n  acme.example:\n    aliases:\n      a: oncall # day and night\n      b: oncall\n      c:\n        - hook # tickets\n        - ben@x.example # holidays\n',
      'destinations:\n  oncall: [ana@x.example, ben@x.example]\n  hook: https://h.example/t\ndomains:\n  acme.example:\n    aliases:\n      a: [oncall, eve@x.example] # day and night\n      b: ana@x.example\n      c:\n        - hook # tickets\n        - ana@x.example # holidays\n',
    ],
    [
      'keeps anchors that others refer to, and writes out what differs from them',
      { a: 'x@x.example', b: 'y@x.example', c: 'y@x.example' },
      'domains:\n  acme.example:\n    aliases:\n      a: &all y@x.example\n      b: *all\n      c: *all\n',
      'domains:\n  acme.example:\n    aliases:\n      a: &all x@x.example\n      b: y@x.example\n      c: y@x.example\n',
    ],
    [
      'overrules a template in the domain where it is not true',
      { postmaster: 'eve@x.example', abuse: 'ana@x.example' },
      'templates:\n  all: { aliases: { postmaster: ana@x.example, abuse: ana@x.example, hostmaster: ana@x.example } }\ndomains:\n  acme.example:\n    use: [all]\n',
      'templates:\n  all: { aliases: { postmaster: ana@x.example, abuse: ana@x.example, hostmaster: ana@x.example } }\ndomains:\n  acme.example:\n    use: [all]\n    aliases: { hostmaster: { state: absent }, postmaster: eve@x.example }\n',
    ],
  ];

  test.each(everyNth(5, CHANGES))('%s', async (_, live, before, after) => {
    const { result, text } = await update(seedOf(live), before);
    expect(result.stderr).toContain('written into 1 file');
    expect(text).toBe(after);
  });

  test('line breaks of the file stay as they are', async () => {
    const before =
      'domains:\r\n  acme.example:\r\n    prune: true\r\n    aliases:\r\n      a: a@x.example # A\r\n';
    const { text } = await update(seedOf({ b: 'b@x.example' }), before);
    expect(text).toBe(
      'domains:\r\n  acme.example:\r\n    prune: true\r\n    aliases:\r\n      # A\r\n      b: b@x.example\r\n',
    );
  });

  test('a value behind a reference stays behind it', async () => {
    const env = { BOSS: 'the.boss@home.example' };
    const manifest = `destinations: { boss: { env: BOSS } }\ndomains:\n  acme.example:\n    aliases:\n      a: ana@x.example\n      b: [boss, ana@x.example]\n      c: ana@x.example\n`;
    const live = { a: env.BOSS, b: `${env.BOSS},eve@x.example`, c: 'ana@x.example' };
    const { text, result } = await update(seedOf(live), manifest, env);
    expect(text).toContain('a: { env: BOSS }\n      b: [boss, eve@x.example]\n');
    expect(text + result.stdout + result.stderr).not.toContain('the.boss');
  });

  test('a reference that stands for several destinations is written once', async () => {
    const env = { TEAM: 'ana@home.example,ben@home.example' };
    const manifest = `destinations: { team: { env: TEAM } }\ndomains:\n  acme.example:\n    aliases:\n      a: eve@x.example\n      b: team\n`;
    const { text } = await update(seedOf({ a: env.TEAM, b: env.TEAM }), manifest, env);
    expect(text).toContain('a: { env: TEAM }\n      b: team\n');
  });

  test('rules: what they say, their order, those that came and went', async () => {
    const rule = (id: number, rank: number, forward = 'a@x.example', active = true) => ({
      id: `00000000-0000-4000-8000-00000000000${id}`,
      type: 'alias' as const,
      config: { alias: `r${id}`, forward },
      rank,
      active,
    });
    const item = (id: number): string =>
      `      # about r${id}\n      - name: r${id}\n        id: ${rule(id, 0).id}\n        alias: r${id} # exactly\n        forward: a@x.example\n`;
    const { text } = await update(
      seedOf({}, { rules: [rule(3, 1), rule(1, 2, 'b@x.example', false), rule(4, 3)] }),
      `domains:\n  acme.example:\n    prune: { rules: true }\n    rules:\n${item(1)}${item(2)}${item(3)}`,
    );
    expect(text).toBe(
      `domains:\n  acme.example:\n    prune: { rules: true }\n    rules:\n      # about r1\n      # about r2\n        # exactly\n      # about r3\n${item(3).split('\n').slice(1).join('\n')}` +
        `      - name: r1\n        id: ${rule(1, 0).id}\n        alias: r1 # exactly\n        forward: b@x.example\n        active: false\n` +
        `      - { name: r4, id: ${rule(4, 0).id}, alias: r4, forward: a@x.example }\n`,
    );
  });

  const BRACKETS = [
    ['of brackets', '{ prune: true, rules: [{ name: old, alias: old, forward: a@x.example }] }'],
    ['of empty brackets', '{ prune: true, rules: [] }'],
  ] as const;

  test.each(everyNth(2, BRACKETS))('rules %s stay within them', async (_, domain) => {
    const id = '00000000-0000-4000-8000-000000000001';
    const live = { id, type: 'alias' as const, config: { alias: 'new', forward: 'a@x.example' }, rank: 1 };
    const { text } = await update(
      seedOf({}, { rules: [{ ...live, active: true }] }),
      `domains:\n  acme.example: ${domain}\n`,
    );
    expect(text).toBe(
      `domains:\n  acme.example: { prune: true, rules: [{ name: new, id: ${id}, alias: new, forward: a@x.example }] }\n`,
    );
  });

  test('domains and settings', async () => {
    const manifest =
      'domains:\n  acme.example:\n    notification_email: old@x.example # who\n    aliases: {}\n  gone.example:\n    # kept\n    aliases: { a: b@x.example }\n';
    const { text } = await update(seedOf({}, { notification_email: 'new@x.example' }), manifest);
    expect(text).toBe(
      'domains:\n  acme.example:\n    notification_email: new@x.example # who\n    aliases: {}\n    # kept\n',
    );
  });

  test('nothing differs: nothing is written', async () => {
    const { result, text } = await update(
      seedOf({ a: 'a@x.example' }),
      'domains: { acme.example: { aliases: { a: a@x.example } } }',
    );
    expect(result.stderr).toContain('0 differences written into 0 files');
    expect(text).toBe('domains: { acme.example: { aliases: { a: a@x.example } } }');
  });

  test('5: the account breaks an expectation; the manifest stays as it is', async () => {
    const manifest =
      'domains:\n  acme.example:\n    aliases: { a: a@x.example }\n    expect:\n      - { to: a@acme.example, forward: a@x.example }\n';
    const { result, text } = await update(seedOf({ a: 'b@x.example' }), manifest);
    expect(result.stderr).toContain('fwdsync.yaml:6:9: error');
    expect(result.code).toBe(5);
    expect(text).toBe(manifest);
  });

  test.each([
    ['with --out', ['--out', 'x.yaml'], 64],
    ['a manifest that is invalid', [], 5],
  ])('%s', async (_, args, code) => {
    const scene = await commandScene({ manifest: 'domains: { x: 1 }\n' });
    const result = await scene.run(['export', '--update', 'fwdsync.yaml', ...args]);
    expect(result.code).toBe(code);
  });
});

interface Copies {
  readonly example: string;
  /** The edited domain; by default all domains. */
  readonly domains: readonly string[];
  readonly allow: readonly string[];
  readonly seeds: readonly number[];
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

const EXAMPLES: readonly Copies[] = [
  {
    example: 'acme',
    domains: ['acme.example', 'acme-labs.example', 'acme-shop.example'],
    allow: ['--allow-domain-delete', 'acme-2019.example'],
    seeds: range(0, 30),
  },
  {
    example: 'agency',
    domains: [
      'oak-works.example',
      'oak-works-shop.example',
      'alder-works-outlet.example',
      'alder-works.example',
    ],
    allow: [],
    seeds: range(30, 40),
  },
  {
    example: 'minimal.yaml',
    domains: ['acme.example'],
    allow: ['--account', 'me@acme.example'],
    seeds: range(40, 50),
  },
];

describe.each(everyNth(2, EXAMPLES))(
  'drifted copies of examples/$example',
  ({ example, domains, allow, seeds }) => {
    let emulator: Emulator;
    let terminal: Terminal;
    let applied: Dump;
    const workspace = mkdtempSync(join(tmpdir(), 'fwdsync-update-'));
    const path = example;

    beforeAll(async () => {
      const clock = virtualClock();
      emulator = await startEmulator({
        apiKey: 'examples-key',
        plan: 'paid',
        state: ACCOUNTS[example],
        now: () => clock.now(),
        sleep: (milliseconds) => clock.sleep(milliseconds),
        randomId: () => crypto.randomUUID(),
        journalSize: 100_000,
      });
      const state = join(workspace, '.state');
      const env = { ...ENVIRONMENT, FWDSYNC_API_URL: emulator.urls.v4, FWDSYNC_STATE_DIR: state };
      terminal = { cwd: workspace, clock, env };
      copyExample();
      const first = await runCommand(['apply', '-f', path, '--yes', ...allow], terminal);
      expect(first.exitCode, first.stdout + first.stderr).toBe(0);
      applied = emulator.store.dump();
    }, 60_000);

    afterAll(async () => {
      await emulator.close();
      rmSync(workspace, { recursive: true });
    });

    /** Copies the example without expectations, because an account that breaks one gives a message instead of an update. */
    function copyExample(): void {
      rmSync(join(workspace, path), { recursive: true, force: true });
      cpSync(join(ROOT, 'examples', example), join(workspace, path), { recursive: true });
      for (const file of filesOf(path)) {
        const text = readFileSync(join(workspace, file), 'utf8');
        writeFileSync(join(workspace, file), text.replace(/^ {4}expect:\n(?: {6}.*\n)*/gm, ''));
      }
    }

    const filesOf = (name: string): readonly string[] =>
      statSync(join(workspace, name)).isFile()
        ? [name]
        : readdirSync(join(workspace, name)).flatMap((entry) => filesOf(join(name, entry)));
    const textOf = (): string =>
      filesOf(path)
        .map((file) => readFileSync(join(workspace, file), 'utf8'))
        .join('');

    test.each(everyNth(32, seeds))('copy %i', async (seed) => {
      copyExample();
      const before = textOf();
      const { account, touched } = driftAccount(applied, domains, seed);
      emulator.store.replace(account);
      emulator.journal.clear();
      const only = example === 'agency' ? domains.flatMap((domain) => ['--domain', domain]) : [];
      const updated = await runCommand(['export', '--update', path, ...only], terminal);
      expect(updated.exitCode, updated.stdout + updated.stderr).toBe(0);
      expect(emulator.journal.entries().every(({ method }) => method === 'GET')).toBe(true);
      const plan = await runCommand(['plan', '-f', path, '--detailed-exitcode', ...only], terminal);
      expect(plan.exitCode, plan.stdout + plan.stderr).toBe(0);

      const after = textOf();
      expect(commentsOf(after)).toEqual(commentsOf(before));
      for (const line of changedLines(before, after))
        expect(isAbout(line, touched), `${line}\n${[...touched].join()}`).toBe(true);
    });
  },
);

function commentsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?<=^|\s)#.*$/gm)].map(([comment]) => comment.trim()).sort();
}

/** Returns the lines that only one of the texts has, according to git. */
function changedLines(before: string, after: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'fwdsync-diff-'));
  try {
    writeFileSync(join(directory, 'before'), withPlaces(before));
    writeFileSync(join(directory, 'after'), withPlaces(after));
    execFileSync('git', ['diff', '--no-index', '--unified=0', 'before', 'after'], {
      cwd: directory,
      encoding: 'utf8',
    });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout: string };
    return stdout.split('\n').filter((line) => /^[-+](?![-+]{2} )/.test(line));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Returns each line with its domain and section. */
function withPlaces(text: string): string {
  let [domain, section] = ['', ''];
  return text
    .split('\n')
    .map((line) => {
      const key = /^( *)([^\s#-][^:]*):/.exec(line);
      if (key?.[1] === '') [domain, section] = ['', ''];
      if (key?.[1]?.length === 2) [domain, section] = [key[2] ?? '', ''];
      if (key?.[1]?.length === 4) section = key[2] ?? '';
      return `${domain} ${section} | ${line}`;
    })
    .join('\n');
}

const KINDS: Readonly<Record<string, string>> = {
  aliases: 'alias',
  rules: 'rule',
  credentials: 'credential',
};

/** True if a changed line belongs to an edited entry, or is the head of its section. */
function isAbout(line: string, touched: ReadonlySet<string>): boolean {
  const [, domain = '', section = '', text = ''] = /^[-+](\S*) (\S*) \| (.*)$/.exec(line) ?? [];
  if (section === 'notification_email') return touched.has(`${domain} domain notification_email`);
  const kind = KINDS[section] ?? '';
  const mine = [...touched]
    .filter((entry) => entry.startsWith(`${domain} ${kind} `))
    .map((entry) => entry.split(' ')[2]);
  if (mine.includes('*')) return true;
  if (text.trim().startsWith(`${section}:`)) return mine.length > 0;
  const name = /^\s*"?([^":]+)"?:/.exec(text)?.[1];
  return text.trim().startsWith('#') || mine.includes(name);
}
