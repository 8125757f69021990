import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/http/server.ts';
import { httpServer } from '../client/support/raw-server.ts';
import { daemon } from '../cli/support/daemon-process.ts';
import { openTwoAccounts, type TwoAccounts } from '../cli/support/two-accounts.ts';
import { everyNth, IS_FULL } from '../simulation/support/explore.ts';
import { runs } from '../support/share.ts';

/** Memory of a container in deploy/. V8 uses half of it for its heap. */
const MEBIBYTES = 512;
const HEAP = { NODE_OPTIONS: `--max-old-space-size=${MEBIBYTES / 2}` };
const MANY = Array.from({ length: IS_FULL ? 8 : runs(8, 3) }, (_, index) => `large${index}`);

const CROWDED = 'no complete answer: too much data arrived at once';

/** Returns the peak memory of a process. */
async function peakMebibytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function addAccount({ directory }: TwoAccounts, name: string, url: string): Promise<void> {
  const api = `{ account: owner@${name}.example, key: { env: KEY }, url: "${url}" }`;
  const domains = `{ ${name}.example: { aliases: { sales: carol@corp.example } } }`;
  await writeFile(join(directory, 'many', `${name}.yaml`), `version: 1\napi: ${api}\ndomains: ${domains}\n`);
}

function filled(mebibytes: number, piece: string): string {
  const count = Math.floor((mebibytes * 1024 * 1024) / (Buffer.byteLength(piece) + 1));
  return `{"account":[${Array<string>(count).fill(piece).join()}]}`;
}

const ANSWERS = [
  ['57 MiB of empty objects', () => filled(57, '{}'), /is larger than 16777216 bytes/],
  ['15 MiB of empty objects', () => filled(15, '{}'), /has more than 250000 values/],
  ['15 MiB of long texts', () => filled(15, `"${'ü'.repeat(100)}"`), /^GET \/account: /],
  [
    '15 MiB of brackets',
    () => `{"account":${'['.repeat(15 * 1024 * 1024)}`,
    /nested more than 32 levels deep/,
  ],
] as const;

test.each(everyNth(4, ANSWERS))(
  '%s, to many accounts at once: each fails, and the daemon goes on',
  async (_, body, message) => {
    const accounts = await openTwoAccounts();
    const held: ServerResponse[] = [];
    const bytes = Buffer.from(body());
    const { url } = await httpServer((_request, response, count) => {
      held.push(response.writeHead(200, { 'content-type': 'application/json' }));
      // Holds the last byte back until all answers have arrived up to it.
      response.write(bytes.subarray(0, -1));
      if (count >= MANY.length) for (const one of held.splice(0)) one.end(bytes.subarray(-1));
    });
    for (const name of MANY) await addAccount(accounts, name, url);
    const { acme, beta, directory, env } = accounts;
    const here = { directory, emulator: acme, env: { ...env, FWDSYNC_LOG_FORMAT: 'json' } };
    const process = daemon(here, ['--accounts', 'many'], HEAP);
    const messages: string[] = [];
    for (const name of MANY) messages.push(String((await process.event('run.failed', name))['message']));
    // Answers that do not fit into the shared memory are refused for that reason; the others are refused for their content.
    expect(messages.filter((text) => !message.test(text) && !text.endsWith(CROWDED))).toEqual([]);
    expect(messages.some((text) => message.test(text))).toBe(true);
    for (const name of ['acme', 'beta'])
      expect(await process.event('run.finished', name)).toMatchObject({ outcome: 'converged' });
    expect(beta.journal.entries().filter(({ method }) => method !== 'GET')).toHaveLength(1);
    if (IS_FULL) expect(await peakMebibytes(process.child.pid)).toBeLessThan(MEBIBYTES);
    expect(await process.end()).toBe(0);
  },
);

test('a drift URL that names another account for one of them fails that one alone', async () => {
  const { acme, beta, directory, env } = await openTwoAccounts();
  const other = await startEmulator({
    apiKey: 'key-of-both-accounts',
    plan: 'paid',
    randomId: randomUUID,
    state: { account: { email: 'owner@acme.example' } },
    now: () => Date.now(),
    sleep: () => Promise.resolve(),
  });
  const here = { directory, emulator: acme, env: { ...env, FWDSYNC_LOG_FORMAT: 'json' } };
  const process = daemon(here, ['--accounts', 'many', '--drift-url', other.urls.v3]);
  expect(await process.event('run.failed', 'beta')).toMatchObject({ step: 'account' });
  expect(await process.event('run.finished', 'acme')).toMatchObject({ outcome: 'converged' });
  expect(beta.journal.entries().filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(await process.end()).toBe(0);
  await other.close();
});
