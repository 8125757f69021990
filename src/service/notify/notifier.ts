import type { Clock } from '../../core/model/clock.ts';
import type { DaemonEvent } from '../../core/model/status/daemon.ts';
import { createNotices, mergeNotices, type Notice } from './notices.ts';
import { NOTIFY_BODIES, type NotifyFormat } from './notify-bodies.ts';

/** Sends notices to a webhook, in the background: nobody waits for it. */
export interface Notifier {
  send(notice: Notice): void;
  /** Resolves when nothing is left to be sent. */
  idle(): Promise<void>;
}

export interface NotifierOptions {
  readonly url: string;
  readonly format: NotifyFormat;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Takes out of a text what must not be shown. */
  readonly conceal: (text: string) => string;
  /** A notice was given up on; the message holds no secret. */
  readonly onLost: (notice: Notice, message: string) => void;
}

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1_000;
const TIMEOUT_MS = 10_000;
/** Per hour and account; notices beyond it are counted, and the next one gives their number. */
const MOST_AN_HOUR = 12;
const HOUR_MS = 3_600_000;
const MOST_WAITING = 50;

export function createNotifier(options: NotifierOptions): Notifier {
  const { clock } = options;
  const sentAt = new Map<string, { moments: number[]; dropped: number }>();
  let waiting = 0;
  let queue: Promise<void> = Promise.resolve();
  const deliverAfter = async (others: Promise<void>, notice: Notice, body: string): Promise<void> => {
    await others;
    const fault = await deliver(body, options);
    waiting -= 1;
    if (fault !== null) options.onLost(notice, fault);
  };
  return {
    send(notice) {
      const now = clock.monotonic();
      const known = sentAt.get(notice.account) ?? { moments: [], dropped: 0 };
      sentAt.set(notice.account, known);
      known.moments = known.moments.filter((moment) => now - moment < HOUR_MS);
      if (known.moments.length >= MOST_AN_HOUR || waiting >= MOST_WAITING) {
        known.dropped += 1;
        return;
      }
      known.moments.push(now);
      const body = bodyOf(notice, known.dropped, options);
      known.dropped = 0;
      waiting += 1;
      queue = deliverAfter(queue, notice, body);
    },
    idle: () => queue,
  };
}

function bodyOf(notice: Notice, dropped: number, { clock, conceal, format }: NotifierOptions): string {
  const more = dropped === 0 ? '' : `\n(${dropped} more were not sent: at most ${MOST_AN_HOUR} an hour)`;
  const at = new Date(clock.now()).toISOString();
  const shown = { ...notice, account: conceal(notice.account), text: conceal(`${notice.text}${more}`) };
  return JSON.stringify(NOTIFY_BODIES[format](shown, at));
}

/** Null: it arrived. */
async function deliver(body: string, options: NotifierOptions): Promise<string | null> {
  let fault = 'the daemon is stopping';
  for (let attempt = 1; attempt <= ATTEMPTS && !options.signal.aborted; attempt += 1) {
    const result = await attemptOnce(body, options);
    if (result.kind === 'done') return null;
    fault = result.message;
    if (result.kind === 'refused') break;
    if (attempt < ATTEMPTS) await options.clock.sleep(FIRST_PAUSE_MS * 4 ** (attempt - 1), options.signal);
  }
  return fault;
}

type Attempt =
  | { readonly kind: 'done' }
  /** Trying again would change nothing. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The address is a secret: no message of the network is passed on. */
async function attemptOnce(body: string, { url, fetch: post }: NotifierOptions): Promise<Attempt> {
  try {
    const response = await post(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return { kind: 'done' };
    const message = `the webhook answered ${response.status}`;
    const mayPass = response.status === 429 || response.status >= 500;
    return { kind: mayPass ? 'failed' : 'refused', message };
  } catch {
    return { kind: 'failed', message: 'the webhook cannot be reached' };
  }
}

/** Returns a function that sends the news in the events of a service to its webhook. */
export function openNotifier(options: NotifierOptions): (event: DaemonEvent) => void {
  const noticeOf = createNotices();
  const notifier = createNotifier(options);
  let waiting: readonly Notice[] = [];
  return (event) => {
    const notice = noticeOf(event);
    if (notice === null) return;
    // What a run says, it says at once: as one message.
    if (waiting.length === 0)
      queueMicrotask(() => {
        for (const merged of mergeNotices(waiting)) notifier.send(merged);
        waiting = [];
      });
    waiting = [...waiting, notice];
  };
}
