import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { measure, SOURCES } from '../core/manifest/support/measured.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { ENTRY } from '../support/program.ts';
import { everyNth } from '../support/share.ts';

const IS_ROOT = process.getuid?.() === 0;
const ANOTHER_USER = 65_534;

/** Node's folders of compiled code below a directory, each named after the version that made it. */
function compiledBelow(directory: string): readonly string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => /^v\d+\./.test(basename(path))).map((path) => dirname(path));
}

function makeDirectory(path: string, mode: number): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
}

describe('the cache of compiled code', () => {
  /** Runs the program with a home directory and a shared temporary directory. */
  async function begin(program = ENTRY) {
    const [home, common] = [await temporaryDirectory(), await temporaryDirectory()];
    const run = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
      const own = { NODE_COMPILE_CACHE: undefined, HOME: home, TMPDIR: common, ...env };
      const { code, stderr } = await measure(['--version'], { program, env: own });
      expect([code, stderr]).toEqual([0, '']);
    };
    return { home, common, run };
  }

  test.each(
    everyNth(2, [
      ['built program', ENTRY],
      ['sources', SOURCES],
    ]),
  )('in the home, for its user alone: %s', async (_, program) => {
    const { home, common, run } = await begin(program);
    await run();
    expect(compiledBelow(home)).toEqual(['.cache/fwdsync']);
    expect(statSync(join(home, '.cache/fwdsync')).mode & 0o777).toBe(0o700);
    expect(compiledBelow(common)).toEqual([]);
  });

  test('is below XDG_CACHE_HOME, even in a shared directory', async () => {
    const { home, common, run } = await begin();
    chmodSync(common, 0o1777);
    await run({ XDG_CACHE_HOME: join(common, 'caches') });
    expect([compiledBelow(home), compiledBelow(common)]).toEqual([[], ['caches/fwdsync']]);
  });

  test('is in NODE_COMPILE_CACHE, and off with NODE_DISABLE_COMPILE_CACHE', async () => {
    const { home, common, run } = await begin();
    await run({ NODE_DISABLE_COMPILE_CACHE: '1' });
    await run({ NODE_COMPILE_CACHE: join(common, 'named') });
    expect([readdirSync(home), compiledBelow(common)]).toEqual([[], ['named']]);
  });

  test.each<readonly [string, string, (path: string, there: string) => void]>(
    everyNth(6, [
      ['.cache', 'a link', (path, there) => symlinkSync(there, path)],
      ['.cache/fwdsync', 'a link', (path, there) => symlinkSync(there, path)],
      ['.cache', 'a directory that all can write to', (path) => makeDirectory(path, 0o777)],
      ['.cache/fwdsync', 'a directory that a group can write to', (path) => makeDirectory(path, 0o770)],
      ['.cache/fwdsync', 'a directory that all share', (path) => makeDirectory(path, 0o1777)],
      ['.cache/fwdsync', 'a file', (path) => writeFileSync(path, '')],
    ]),
  )('not where ~/%s is %s', async (name, _kind, make) => {
    const { home, common, run } = await begin();
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    make(path, common);
    await run();
    expect([compiledBelow(home), readdirSync(common)]).toEqual([[], []]);
  });

  test.runIf(IS_ROOT).each(everyNth(3, ['', '.cache', '.cache/fwdsync']))(
    'not where ~/%s is of another user',
    async (name) => {
      const { home, run } = await begin();
      mkdirSync(join(home, '.cache/fwdsync'), { recursive: true });
      chownSync(join(home, name), ANOTHER_USER, ANOTHER_USER);
      await run();
      expect(compiledBelow(home)).toEqual([]);
    },
  );

  test('not where the home is missing or no directory, or the cache is named from here', async () => {
    const { home, common, run } = await begin();
    const homes = [join(common, 'missing'), '/dev/null', 'from-here'].map((HOME) => ({ HOME }));
    for (const env of everyNth(4, [...homes, { XDG_CACHE_HOME: 'from-here' }])) await run(env);
    expect([readdirSync(home), readdirSync(common)]).toEqual([[], []]);
    expect(statSync('from-here', { throwIfNoEntry: false })).toBeUndefined();
  });
});
