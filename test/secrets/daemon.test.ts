import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Fault } from '../../src/emulator/faults/faults.ts';
import type { JournalEntry } from '../../src/emulator/http/journal.ts';
import { startEmulator, type Emulator } from '../../src/emulator/http/server.ts';
import { byHand } from '../support/by-hand.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { filesBelow, type Found } from '../support/search.ts';
import { everyNth } from '../support/share.ts';
import { ENV, findings, MANIFEST, OWNER, PLANTED, SECRET_FILE, SEED } from './support/planted.ts';
import { PROGRAM } from '../support/program.ts';

const NAMED = 'fwdsync.yaml';

test.each(everyNth(2, ['v4', 'v3']))(
  'no planted value is in anything that a daemon prints, serves, sends to its webhook or keeps, through %s',
  { timeout: 120_000 },
  async (version) => {
    const emulator = await openEmulator();
    const hook = await openHook();
    const directory = await temporaryDirectory();
    await writeFile(join(directory, SECRET_FILE), `${PLANTED.fromFile}\n`);
    const write = (manifest: string): Promise<void> =>
      writeFile(join(directory, NAMED), `version: 1\n${manifest}`);
    await write(MANIFEST);
    const daemon = startDaemon(directory, {
      ...ENV,
      FWDSYNC_API_URL: emulator.urls[version],
      FWDSYNC_NOTIFY_URL: hook.url,
      FWDSYNC_STATE_DIR: join(directory, 'state'),
    });
    const pages: Found[] = [];
    const look = async (): Promise<void> => {
      pages.push(...(await readPages(await daemon.address())));
    };
    const heard = async (event: string): Promise<void> => {
      await expect.poll(() => hook.events()).toContain(event);
      await look();
    };

    await expect.poll(() => daemon.printed()).toContain('"event":"run.finished"');
    await look();
    const forward = `${PLANTED.destination},eve@corp.example`;
    await byHand(emulator, 'PUT', aliasPath(emulator, 'info'), { forward });
    await heard('drift-found');
    const { destination, key, password } = PLANTED;
    emulator.faults.push(
      echo('aliases', `${destination.toUpperCase()}, ${key}`),
      echo('credentials', password),
    );
    await byHand(emulator, 'DELETE', aliasPath(emulator, 'sales'));
    await byHand(emulator, 'DELETE', '/v4/domains/acme.example/credentials/carol');
    await heard('apply-failed');
    await expect.poll(() => emulator.journal.entries().some(isRefusedCredential)).toBe(true);
    await look();
    emulator.faults.clear();
    await write(MANIFEST.replace('{ env: CAROL }', JSON.stringify(PLANTED.password)));
    await heard('manifest-invalid');
    expect(await daemon.stop()).toBe(0);

    expect(pages.map(({ text }) => text).every((page) => page !== '')).toBe(true);
    const kept = await filesBelow(directory, [SECRET_FILE, NAMED]);
    expect(kept.length).toBeGreaterThan(0);
    expect(findings([...pages, ...kept, ...hook.sent(), ...daemon.found()])).toEqual([]);
  },
);

function isRefusedCredential({ method, path, status }: JournalEntry): boolean {
  return method === 'POST' && path.endsWith('/credentials') && status === 400;
}

async function openEmulator(): Promise<Emulator> {
  const emulator = await startEmulator({
    apiKey: PLANTED.key,
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state: { ...SEED, account: { email: OWNER } },
  });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** A webhook for notifications that remembers what it got. */
async function openHook() {
  const sent: Found[] = [];
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    sent.push({ where: 'a notification', text: await text(request) });
    response.end();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    sent: (): readonly Found[] => sent,
    events: () => sent.map(({ text: body }) => (JSON.parse(body) as { readonly event: string }).event),
  };
}

function startDaemon(cwd: string, env: Readonly<Record<string, string>>) {
  const args = ['run', '--listen', '127.0.0.1:0', '--interval', '1s', '--log-level', 'trace'];
  const child = spawn(PROGRAM, [...args, '--log-format', 'json'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  return {
    printed: () => out,
    found: (): readonly Found[] => [
      { where: 'standard output', text: out },
      { where: 'standard error', text: err },
    ],
    async address(): Promise<string> {
      const port = (): string | undefined => /"event":"status\.listening".*"port":(\d+)/.exec(out)?.[1];
      await expect.poll(port).toBeDefined();
      return `http://127.0.0.1:${port()}`;
    },
    async stop(): Promise<number | null> {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'close');
      return child.exitCode;
    },
  };
}

async function readPages(address: string): Promise<readonly Found[]> {
  const paths = ['/healthz', '/readyz', '/metrics', '/status'];
  return Promise.all(
    paths.map(async (path) => {
      const response = await fetch(address + path);
      const headers = JSON.stringify([...response.headers]);
      return { where: path, text: headers + (await response.text()) };
    }),
  );
}

/** A service that repeats what it was sent. */
function echo(section: string, sent: string): Fault {
  const body = { message: `refused: ${sent}`, errors: { forward: [sent] } };
  const match = { method: 'POST', endpoint: `/domains/:domain/${section}`, times: 'always' } as const;
  return { match, do: { kind: 'status', code: 400, body } };
}

function aliasPath({ store }: Emulator, name: string): string {
  const alias = store.dump().domains[0]?.aliases.find((candidate) => candidate.alias === name);
  return `/v4/domains/acme.example/aliases/${alias?.id}`;
}
