import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directory.ts';
import { freePort } from '../support/free-port.ts';
import { PROGRAM, PROGRAM_PATH } from '../support/program.ts';
import { IS_FULL } from '../support/share.ts';
import { comparable, followPage, type ConsoleCommand } from './support/console-page.ts';
import { openShell } from './support/shell.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/tutorial.md'), 'utf8');
/** Commands that change nothing. A reader repeats them until a process in the background is ready. */
const READS = /^(?:cat|curl -s http|fwdsync history)/;
const LONGEST_WAIT = 20_000;

test('a new user who follows docs/tutorial.md sees what it shows; `npm run docs` writes the outputs again', async () => {
  const home = await temporaryDirectory();
  const [api, page] = [String(await freePort()), String(await freePort())];
  const shell = openShell(home, {
    HOME: home,
    PATH: PROGRAM_PATH,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
  });
  const here = (text: string): string =>
    text
      .replaceAll('8025', api)
      .replaceAll('9477', page)
      .replace('fwdsync run', `$& --listen 127.0.0.1:${page}`)
      // The daemon corrects the drift sooner.
      .replace('--interval 10s', '--interval 2s');
  const { username } = userInfo();
  const onPage = (text: string): string =>
    text
      .replaceAll(api, '8025')
      .replaceAll(page, '9477')
      .replaceAll(home, '/home/ana')
      .replaceAll(join(dirname(PROGRAM), '..'), '/usr/local/lib/node_modules/fwdsync')
      .replaceAll(`${username} on ${hostname()}`, 'ana on laptop')
      .replaceAll(`  ${username}  `, '  ana  ');

  const run = async ({ command, output: shown }: ConsoleCommand): Promise<string> => {
    const giveUp = performance.now() + LONGEST_WAIT;
    for (;;) {
      const { code, output } = await shell.run(here(command));
      const isAsShown = comparable(onPage(output)) === comparable(shown) && code === 0;
      if (!READS.test(command) || isAsShown || performance.now() > giveUp) {
        expect(code, `${command}\n${output}`).toBe(0);
        return onPage(output);
      }
      // Each attempt starts a process.
      await sleep(command.startsWith('fwdsync') ? 1_500 : 200);
    }
  };
  const edit = async (diff: string): Promise<void> => {
    const { output: cwd } = await shell.run('pwd');
    const patch = spawnSync('git', ['apply'], { cwd: cwd.trim(), input: diff, encoding: 'utf8' });
    expect(patch.stderr).toBe('');
  };
  const [before = '', middle = '', browser = '', rest = ''] = PAGE.split(/^(?=## [478])/m);
  const start = await followPage(before, { run, edit });
  // `npm test` runs the page only up to the first apply.
  if (!IS_FULL) {
    await expect(`${start}${middle}${browser}${rest}`).toMatchFileSnapshot('../../docs/tutorial.md');
    return;
  }
  const followed = `${start}${await followPage(middle, { run, edit })}`;

  const paths = ['', 'domains/acme.example', '?route=sales@acme.example'];
  const answers = await Promise.all(
    paths.map(async (path) => (await fetch(`http://127.0.0.1:${page}/${path}`)).text()),
  );
  const seen = answers
    .join('\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ');

  const end = await followPage(rest, { run });
  await expect(`${followed}${browser}${end}`).toMatchFileSnapshot('../../docs/tutorial.md');
  for (const [, words = ''] of browser.matchAll(/\*\*(.*?)\*\*/g)) expect(seen).toContain(words);
}, 120_000);
