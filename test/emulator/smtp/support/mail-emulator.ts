import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmulator, type Emulator } from '../../../../src/emulator/http/server.ts';
import type { Seed } from '../../../../src/emulator/account/seed.ts';
import { startMail, type MailOptions, type MailService } from '../../../../src/emulator/smtp/start.ts';
import { KEY } from '../../support/target.ts';

/** An emulator that receives mail on free ports of loopback. */
export interface MailEmulator {
  readonly emulator: Emulator;
  readonly mail: MailService;
  /** Sends a request to the control interface. Returns the body as JSON, or as text. */
  readonly control: (method: string, path: string, body?: unknown) => Promise<ControlAnswer>;
  /** The raw mails of a mailbox, oldest first. */
  readonly arrived: (address: string) => Promise<readonly string[]>;
  /** The log of a domain on v4, oldest first. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests read answers of any shape
  readonly logs: (domain: string) => Promise<readonly any[]>;
  close(): Promise<void>;
}

interface ControlAnswer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests read answers of any shape
  readonly body: any;
}

/** DKIM key. The first emulator makes it, because that takes a third of a second. */
let dkimKey: string | null = null;

export async function startMailEmulator(
  state: Seed,
  options: Partial<MailOptions> = {},
): Promise<MailEmulator> {
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    pause(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  const shared = { sleep, randomId: () => randomUUID() };
  const emulator = await startEmulator({
    ...shared,
    apiKey: KEY,
    plan: 'paid',
    state: { mail: { dkim_key: dkimKey }, ...state },
    control: true,
    rateLimit: 1_000_000,
    now: () => Date.now(),
  });
  const mail = await startMail(emulator, { ...shared, smtpPort: 0, ...options });
  dkimKey = emulator.store.state.mail.dkim_key;
  return {
    emulator,
    mail,
    async control(method, path, body) {
      const answer = await fetch(`${emulator.controlUrl}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') === true;
      return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
    },
    async arrived(address) {
      const raws = await Promise.all(mail.mailboxes.of(address).map((each) => mail.mailboxes.raw(each)));
      return raws.map((raw) => String(raw));
    },
    async logs(domain) {
      const headers = { Authorization: `Basic ${btoa(`api:${KEY}`)}` };
      const url = `${emulator.urls.v4}/domains/${domain}/logs?order=created_asc&limit=200`;
      return ((await (await fetch(url, { headers })).json()) as { logs: readonly unknown[] }).logs;
    },
    async close() {
      await mail.close();
      await emulator.close();
    },
  };
}
