import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededAccount } from '../../src/emulator/emulator.ts';
import { build, inDirectory, startEmulatorProcess } from '../processes.ts';
import type { Section } from '../section.ts';

const FEW = 100;
const MANY = 600;
const DOMAINS = 5;
const ALIASES = 20;
const INTERVAL_SECONDS = 30;

interface Cost {
  readonly mebibytes: number;
  readonly cpuMs: number;
  readonly accountReads: number;
}

/** What an account that is in place costs a process that looks after many. */
export async function measureAccounts(): Promise<Section> {
  const { few, many } = await inDirectory(async (directory) => {
    const command = build(directory);
    const list = Array.from({ length: MANY }, (_, index) => seedOf(index));
    writeFileSync(join(directory, 'accounts.json'), JSON.stringify(list));
    const more = ['--accounts', join(directory, 'accounts.json')];
    const { v4, stop } = await startEmulatorProcess(join(directory, 'first.json'), 'key-of-the-first', more);
    try {
      const measure = (count: number): Promise<Cost> => measureDaemon(command, { directory, url: v4, count });
      return { few: await measure(FEW), many: await measure(MANY) };
    } finally {
      await stop();
    }
  });
  const perAccount = (many.mebibytes - few.mebibytes) / (MANY - FEW);
  return {
    title: 'Many accounts',
    text: [
      `\`run --accounts\` with accounts of ${DOMAINS} domains of ${ALIASES} aliases each, all in place, checked every ${INTERVAL_SECONDS} s: memory ` +
        'of the process after three intervals, CPU time and reads of the account for each sweep of the third. Sweeps are spread over the interval.',
    ],
    head: ['accounts', 'MiB', 'CPU ms per sweep', '`GET /account` per sweep'],
    rows: [[FEW, few] as const, [MANY, many] as const].map(([count, cost]) => [
      String(count),
      cost.mebibytes.toFixed(0),
      cost.cpuMs.toFixed(1),
      cost.accountReads.toFixed(2),
    ]),
    figures: [
      { name: 'an account in place: memory, MiB', value: perAccount, atMost: 0.25 },
      { name: 'an account in place: CPU ms per sweep', value: many.cpuMs, atMost: 4 },
      { name: 'an account in place: `GET /account` per sweep', value: many.accountReads, atMost: 1 },
    ],
  };
}

function seedOf(index: number): SeededAccount {
  const aliases = Array.from({ length: ALIASES }, (_, alias) => ({
    alias: `name-${alias}`,
    forward: 'ana@corp.example',
  }));
  const domains = domainsOf(index).map((domain) => ({ domain, aliases }));
  return { key: `key-of-account-${index}`, state: { account: { email: emailOf(index) }, domains } };
}

function emailOf(index: number): string {
  return `owner@account-${index}.example`;
}

function domainsOf(index: number): readonly string[] {
  return Array.from({ length: DOMAINS }, (_, domain) => `domain-${domain}.account-${index}.example`);
}

function manifestOf(index: number, url: string): string {
  const aliases = Array.from({ length: ALIASES }, (_, alias) => `      name-${alias}: ana@corp.example\n`);
  const domains = domainsOf(index).map((domain) => `  ${domain}:\n    aliases:\n${aliases.join('')}`);
  const api = `{ account: ${emailOf(index)}, key: { env: KEY_${index} }, url: "${url}" }`;
  return `version: 1\napi: ${api}\ndomains:\n${domains.join('')}`;
}

async function measureDaemon(
  command: string,
  { directory, url, count }: { readonly directory: string; readonly url: string; readonly count: number },
): Promise<Cost> {
  const accounts = join(directory, `accounts-${count}`);
  mkdirSync(accounts);
  const keys: Record<string, string> = {};
  for (let index = 0; index < count; index += 1) {
    writeFileSync(join(accounts, `account-${index}.yaml`), manifestOf(index, url));
    keys[`KEY_${index}`] = `key-of-account-${index}`;
  }
  const pace = ['--interval', `${INTERVAL_SECONDS}s`, '--listen', '127.0.0.1:0'];
  const daemon = spawn(process.execPath, [command, 'run', '--accounts', accounts, ...pace], {
    env: { PATH: process.env['PATH'], HOME: directory, ...keys },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const metrics = `http://127.0.0.1:${await portOf(daemon)}/metrics`;
    await sleep(2 * INTERVAL_SECONDS * 1000);
    const before = await readMetrics(metrics);
    await sleep(INTERVAL_SECONDS * 1000);
    const after = await readMetrics(metrics);
    const sweeps = after.sweeps - before.sweeps;
    return {
      mebibytes: after.bytes / 2 ** 20,
      cpuMs: ((after.cpuSeconds - before.cpuSeconds) * 1000) / sweeps,
      accountReads: (after.accountReads - before.accountReads) / sweeps,
    };
  } finally {
    daemon.kill('SIGTERM');
  }
}

/** Of the status server; what is logged after that is read and dropped. */
function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error('the daemon has no standard output');
  return new Promise((resolve) => {
    createInterface(stdout).on('line', (line) => {
      const { event, port } = JSON.parse(line) as { readonly event: string; readonly port?: number };
      if (event === 'status.listening' && port !== undefined) resolve(port);
    });
  });
}

async function readMetrics(url: string) {
  const lines = (await (await fetch(url)).text()).split('\n');
  const sum = (pattern: RegExp): number =>
    lines
      .filter((line) => pattern.test(line))
      .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  return {
    bytes: sum(/^process_resident_memory_bytes /),
    cpuSeconds: sum(/^process_cpu_seconds_total /),
    sweeps: sum(/^fwdsync_runs_total\{.*cause="sweep"/),
    accountReads: sum(/^fwdsync_api_requests_total\{.*endpoint="GET \/account"/),
  };
}
