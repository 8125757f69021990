import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fwdsync } from '../../../support/command.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { PROGRAM } from '../../../support/program.ts';

/** The commands of the page, without `fwdsync`, and the map that it shows. */
async function readPage(): Promise<{ readonly commands: readonly string[]; readonly map: string }> {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/import.md'), 'utf8');
  const [, section = ''] = page.split('## From a Postfix map to an account');
  const [, block = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
  const [, map = ''] = /## postfix\n.*?```conf\n(.*?)```/s.exec(page) ?? [];
  return {
    commands: block
      .trim()
      .split('\n')
      .map((line) => line.replace(/^fwdsync /, '')),
    map,
  };
}

test('five commands lead from a Postfix map to an account in the emulator', async () => {
  const { commands, map } = await readPage();
  expect(commands).toHaveLength(5);
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, 'virtual'), map);
  const env: Record<string, string> = { FWDSYNC_API_KEY: 'emulator', FWDSYNC_STATE_DIR: join(cwd, 'state') };
  const codes: (number | null)[] = [];
  for (const command of commands) {
    const args = command.replace(' &', '').replace('--port 8025', '--port 0').split(' ');
    if (!command.endsWith('&')) {
      const { code, stdout, stderr } = await fwdsync(args, { cwd, env });
      codes.push(code);
      expect(stdout + stderr).not.toContain('internal error');
      continue;
    }
    const emulator = spawn(PROGRAM, args, {
      cwd,
      env: { ...env, PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(async () => {
      emulator.kill('SIGTERM');
      if (emulator.exitCode === null) await once(emulator, 'exit');
    });
    const [line] = (await once(createInterface(emulator.stdout), 'line')) as [string];
    env['FWDSYNC_API_URL'] = (JSON.parse(line) as { readonly v4: string }).v4;
  }
  expect(codes).toEqual([0, 0, 0, 0]);
  const { stdout } = await fwdsync(['route', 'sales@old.example', '--live', '--format', 'json'], {
    cwd,
    env,
  });
  expect((JSON.parse(stdout) as { readonly forward: readonly string[] }).forward).toEqual([
    'ana@corp.example',
    'ben@corp.example',
  ]);
});
