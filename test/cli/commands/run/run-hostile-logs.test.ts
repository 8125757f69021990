import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fwdsync } from '../../../support/command.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { PROGRAM } from '../../../support/program.ts';
import { everyNth, runs } from '../../../support/share.ts';
import { daemon } from '../../support/daemon-process.ts';

const OWNER = 'ops@acme.example';
const KEY = 'key-of-the-hostile-logs';
const BOSS = 'boss@private.example';
/** Maximum time of an answer in milliseconds, less than the usual timeout of probes. */
const PROBE_MS = 5_000;

/** Addresses with the maximum number of parts that are searched. Each part may begin and end an address. */
const ADDRESS = `${'a.'.repeat(11)}a@${'b.'.repeat(11)}b`;
const TEXTS = [
  `${ADDRESS} `.repeat(200),
  'a.a@'.repeat(2_500),
  `${'a.'.repeat(2_500)}a@${'b.'.repeat(2_500)}b`,
  `http://a.b/${'c.'.repeat(40)} `.repeat(100),
  `%3D${`${ADDRESS}&#64;`.repeat(200)}`,
];

/** With 200 messages a page of the logs has 6 MB. */
const MESSAGES = runs(200, 40);

/** A page of the logs: failed messages with long events, each with another destination. */
function hostileLogs(): readonly object[] {
  return Array.from({ length: MESSAGES }, (_, index) => {
    const text = `${TEXTS[index % TEXTS.length]} ${index}`;
    const event = (status: string, message: string) => ({ status, code: 550, message });
    return {
      sender: ADDRESS,
      recipient: 'boss@acme.example',
      forward: index === 0 ? BOSS : `a.b.c.d.e.f.${index}@${'b.'.repeat(20)}example`,
      subject: text,
      created_at: new Date(Date.now() - 600_000 - index * 1000).toISOString(),
      events: ['QUEUED', event('SOFT-BOUNCE', text), event('HARD-BOUNCE', `${text} ${BOSS}`)],
    };
  });
}

/** Runs in a separate process, so that its work is not measured. */
async function startEmulator(cwd: string): Promise<string> {
  const aliases = [{ alias: 'boss', forward: BOSS }];
  const domains = [{ domain: 'acme.example', aliases, logs: hostileLogs() }];
  await writeFile(join(cwd, 'account.json'), JSON.stringify({ account: { email: OWNER }, domains }));
  const args = ['emulator', '--port', '0', '--api-key', KEY, '--state', 'account.json'];
  const child = spawn(PROGRAM, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return (JSON.parse(line) as { readonly v4: string }).v4;
}

/** Sends a request every 50 ms until it is stopped. Returns the number of answers; each must arrive within a few seconds. */
function pollHealth(url: string): { readonly end: () => Promise<number> } {
  const ended = new AbortController();
  const poll = async (): Promise<number> => {
    for (let answers = 0; ; answers += 1) {
      if (ended.signal.aborted) return answers;
      const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) });
      expect(answer.status).toBe(200);
      await sleep(50);
    }
  };
  const polled = poll();
  polled.catch(() => undefined); // a daemon that was killed
  return {
    end() {
      ended.abort();
      return polled;
    },
  };
}

test.each(
  everyNth(2, [
    ['values of earlier runs are searched for', []],
    ['other addresses are masked too', ['--mask']],
  ]),
)(
  '/healthz answers while a page of hostile logs is counted: %s',
  async (_, flags) => {
    const directory = await temporaryDirectory();
    const env = {
      FWDSYNC_API_URL: await startEmulator(directory),
      FWDSYNC_API_KEY: KEY,
      FWDSYNC_STATE_DIR: join(directory, 'state'),
      FWDSYNC_LOG_FORMAT: 'json',
      BOSS,
    };
    const manifest = `version: 1\napi: { account: ${OWNER} }\ndomains: { acme.example: { aliases: { boss: { env: BOSS } } } }\n`;
    await writeFile(join(directory, 'fwdsync.yaml'), manifest);
    // The value of a reference is stored, and recognised in texts from mail.
    const applied = await fwdsync(['apply', '--yes'], { cwd: directory, env });
    expect(applied.code, applied.stderr).toBe(0);
    const process = daemon({ directory, env }, ['--delivery', ...flags]);
    const { port } = await process.event('status.listening');
    const url = `http://127.0.0.1:${String(port)}`;
    const polled = pollHealth(url);
    const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
    await expect
      .poll(metrics, { timeout: 120_000, interval: 500 })
      .toContain('fwdsync_delivery_complete{account="default"} 1');
    expect(await polled.end()).toBeGreaterThan(1);
    expect(await metrics()).toContain(
      `fwdsync_delivery_messages{account="default",domain="acme.example",outcome="hard"} ${MESSAGES}`,
    );
    await process.end();
    expect(await process.output).not.toMatch(/private\.example/i);
  },
  180_000,
);
