import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { STORE_KEY } from '../../service/fleet/support/fleet.ts';
import { fwdsync } from '../../support/command.ts';
import { PROGRAM } from '../../support/program.ts';
import { everyNth, IS_FULL } from '../../support/share.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { openWorkspace, OWNER, type Workspace } from '../../support/workspace.ts';
import { openTwoAccounts } from '../support/two-accounts.ts';

const MANIFEST = `version: 1
api: { account: ${OWNER}, key: { env: FWDSYNC_API_KEY } }
domains:
  acme.example:
    aliases: { info: ana@corp.example, postmaster: ana@corp.example, abuse: ana@corp.example }
`;
const REFUSED = MANIFEST.replace('aliases', 'prune: { aliases: true }\n    aliases');
const LOST = expect.stringMatching(
  /^error: standard output cannot be written: (ENOSPC|EFBIG).*\n {2}try: .*\n$/,
);
const ALIASES = Array.from({ length: 40 }, (_, index) => ({ alias: `n${index}`, forward: 'a@b.example' }));

async function open(manifest = MANIFEST) {
  const workspace = await openWorkspace([{ domain: 'acme.example', aliases: ALIASES }]);
  await workspace.write(manifest);
  return workspace;
}

type Scene = Pick<Workspace, 'directory' | 'env'>;

/** Runs a shell line in which `fwdsync` is the program. */
function begin({ directory, env }: Scene, line: string, more: Readonly<Record<string, string>> = {}) {
  const child = spawn('bash', ['-c', `fwdsync() { ${PROGRAM} "$@"; }; ${line}`], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function run(workspace: Scene, line: string, more: Readonly<Record<string, string>> = {}) {
  const child = begin(workspace, line, more);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code: code as unknown, stderr };
}

/** Runs a command whose whole output is read. */
async function inPeace({ directory, env }: Scene, args: readonly string[], more: Scene['env'] = {}) {
  return fwdsync(args, { cwd: directory, env: { ...env, ...more } });
}

async function emptyStore() {
  return {
    FWDSYNC_STORE: await (await sharedPostgres()).createDatabase(),
    FWDSYNC_STORE_KEY: STORE_KEY.toString('base64'),
    FWDSYNC_STATE_DIR: '',
  };
}

describe('on a full disk', () => {
  const lines = [
    ['apply --yes', 3],
    ['validate', 1],
    ['plan --format json', 1],
    ['plan --detailed-exitcode', 1],
    ['apply --yes --format json', 3],
    ['export', 1],
    ['history', 1],
  ] as const;

  test.each(everyNth(7, lines))('%s ends with %i and says why', async (line, code) => {
    const workspace = await open();
    expect(await run(workspace, `fwdsync ${line} >/dev/full`)).toEqual({ code, stderr: LOST });
    const aliases = workspace.emulator.store.dump().domains[0]?.aliases.map(({ alias }) => alias);
    expect(aliases?.includes('info')).toBe(code === 3);
  });

  test.runIf(IS_FULL)('the exit code for another reason stays', async () => {
    const { code } = await run(await open(REFUSED), 'fwdsync plan >/dev/full');
    expect(code).toBe(4);
  });

  test.runIf(IS_FULL)('a file that can grow no further is the same', async () => {
    const ended = await run(await open(), '(ulimit -f 0; fwdsync validate >printed)');
    expect(ended).toEqual({ code: 1, stderr: LOST });
  });

  test.runIf(IS_FULL)('after a publication it is 3', async () => {
    const ended = await run(await open(), 'fwdsync publish >/dev/full', await emptyStore());
    expect(ended).toEqual({ code: 3, stderr: LOST });
  });

  test.runIf(IS_FULL)('state that is imported is 3, and is all in the store', async () => {
    const [workspace, store] = [await open(), await emptyStore()];
    expect((await inPeace(workspace, ['apply', '--yes'])).code).toBe(0);
    const importing = 'fwdsync state import "$FROM" >/dev/full';
    const more = { ...store, FROM: workspace.env['FWDSYNC_STATE_DIR'] ?? '' };
    expect(await run(workspace, importing, more)).toEqual({ code: 3, stderr: LOST });
    expect((await inPeace(workspace, ['history'], store)).stdout.match(/ apply /g)).toHaveLength(1);
    // Nothing is written the second time, and the exit code still has its reason.
    expect((await run(workspace, importing, more)).code).toBe(1);
  });

  const ofAccounts = [
    ['', '>/dev/full', 3, LOST],
    ['--format json', '>/dev/full', 3, LOST],
    ['', '| true; exit ${PIPESTATUS[0]}', 0, ''],
    ['--format json', '| true; exit ${PIPESTATUS[0]}', 0, ''],
  ] as const;

  test.each(everyNth(4, ofAccounts))(
    'apply --accounts %s %s applies every account, and records it',
    async (flags, where, code, said) => {
      const { acme, beta, ...scene } = await openTwoAccounts();
      const ended = await run(scene, `fwdsync apply --accounts many --yes ${flags} ${where}`);
      expect({ ...ended, stderr: ended.stderr.replaceAll(/^(?!error| {2}try).*\n/gm, '') }).toEqual({
        code,
        stderr: said,
      });
      for (const { store } of [acme, beta])
        expect(store.dump().domains[0]?.aliases.map(({ alias }) => alias)).toEqual(['sales']);
      expect((await inPeace(scene, ['history'])).stdout.match(/ converged /g)).toHaveLength(2);
      expect((await inPeace(scene, ['plan', '--accounts', 'many', '--detailed-exitcode'])).code).toBe(0);
    },
  );

  const summaries = [
    ['/dev/full', REFUSED, 4, /ENOSPC/],
    ['/dev/full', MANIFEST, 1, /ENOSPC/],
    ['missing/summary.md', MANIFEST, 1, /ENOENT/],
  ] as const;

  test.each(everyNth(3, summaries))(
    'the summary of a step in %s: plan prints its annotations and states it',
    async (file, manifest, code, why) => {
      const workspace = await open(manifest);
      const more = { GITHUB_STEP_SUMMARY: file };
      const ended = await run(
        workspace,
        'fwdsync plan --format github --detailed-exitcode | grep -q ^:: && exit ${PIPESTATUS[0]}',
        more,
      );
      expect(ended.stderr).toMatch(
        /^error: the summary of the step \(GITHUB_STEP_SUMMARY\) cannot be written: .*\n {2}try: .*\n$/,
      );
      expect(ended.stderr).toMatch(why);
      expect(ended.code).toBe(code);
    },
  );

  test.runIf(IS_FULL)('plan --accounts is 1: nothing was written', async () => {
    const { acme, beta, ...scene } = await openTwoAccounts();
    expect((await run(scene, 'fwdsync plan --accounts many --detailed-exitcode >/dev/full')).code).toBe(1);
    for (const { store } of [acme, beta]) expect(store.dump().domains[0]?.aliases).toEqual([]);
  });

  const daemons = [
    ['json', '>/dev/full', LOST],
    ['pretty', '>/dev/full', LOST],
    ['json', '> >(true)', ''],
  ] as const;

  test.each(everyNth(3, daemons))(
    'run goes on, and ends as it would, with a log in %s %s',
    async (format, where, said) => {
      const workspace = await open();
      const args = `--listen 127.0.0.1:0 --interval 1s --log-format ${format}`;
      const child = begin(workspace, `exec ${PROGRAM} run ${args} ${where}`);
      const stderr = text(child.stderr);
      const requests = (): number => workspace.emulator.journal.entries().length;
      await expect.poll(() => workspace.writes().length).toBeGreaterThan(0);
      const before = requests();
      await expect.poll(requests).toBeGreaterThan(before + 4);
      child.kill('SIGTERM');
      expect((await once(child, 'exit'))[0]).toBe(0);
      expect(await stderr).toEqual(said);
      expect((await run(workspace, `fwdsync run --once ${where}`)).code).toBe(0);
    },
  );

  const errors = [
    ['apply --yes >/dev/full', 3],
    ['apply --yes --log-level debug', 0],
    ['nonsense', 64],
  ] as const;

  test.each(everyNth(3, errors))(
    '%s ends with %i also where standard error cannot be written',
    async (line, code) => {
      expect((await run(await open(), `fwdsync ${line} 2>/dev/full`)).code).toBe(code);
    },
  );
});

test('a reader that goes away changes neither what is done nor the exit code', async () => {
  const workspace = await open();
  const ended = await run(workspace, 'fwdsync apply --yes --format json | true; exit ${PIPESTATUS[0]}');
  expect(ended).toEqual({ code: 0, stderr: '' });
  expect(workspace.writes()).not.toEqual([]);
});
