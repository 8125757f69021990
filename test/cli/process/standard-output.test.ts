import { execFileSync, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  createReadStream,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fwdsync } from '../../support/command.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { PROGRAM } from '../../support/program.ts';

/** More than a pipe holds. */
const FAULTS = 1_000;

const ARGS = ['validate', '--format', 'json'];

let directory: string;
let expected: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fwdsync-output-'));
  const faulty = Array.from({ length: FAULTS }, (_, index) => `      "ä b ${index}": x@y.example\n`);
  writeFileSync(
    join(directory, 'fwdsync.yaml'),
    `version: 1\ndomains:\n  acme.example:\n    aliases:\n${faulty.join('')}`,
  );
  expected = (await fwdsync(ARGS, { cwd: directory })).stdout;
  expect(expected.length).toBeGreaterThan(2 ** 17);
});

afterAll(() => rmSync(directory, { recursive: true }));

describe('the output of a command is complete', () => {
  test('in a file, after what is there', async () => {
    const path = join(await temporaryDirectory(), 'output');
    writeFileSync(path, 'before\n');
    const descriptor = openSync(path, 'a');
    const child = begin(descriptor);
    closeSync(descriptor);
    expect((await once(child, 'close'))[0]).toBe(5);
    expect(readFileSync(path, 'utf8')).toBe(`before\n${expected}`);
  });

  test('in a pipe that takes no more until it is read', async () => {
    const path = join(await temporaryDirectory(), 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const child = begin(writer);
    closeSync(writer);
    const read = text(createReadStream(path));
    expect((await once(child, 'close'))[0]).toBe(5);
    closeSync(reader);
    expect(await read).toBe(expected);
  });
});

test('a reader that goes away changes neither the exit code nor standard error', async () => {
  const child = begin('pipe');
  child.stdout?.destroy();
  const said = child.stderr === null ? '' : await text(child.stderr);
  expect([said, child.exitCode ?? (await once(child, 'close'))[0]]).toEqual(['', 5]);
});

function begin(stdout: number | 'pipe') {
  const stdio: StdioOptions = ['ignore', stdout, 'pipe'];
  return spawn(PROGRAM, ARGS, { cwd: directory, stdio });
}
