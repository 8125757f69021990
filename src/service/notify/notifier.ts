import { iso, type Clock } from '../../core/model/clock.ts';
import type { DaemonEvent } from '../../core/model/status/daemon.ts';
import { concealAll } from '../conceal/conceal-all.ts';
import { momentsOfHour, MOST_AN_HOUR, untilRoom } from './hourly-limit.ts';
import { noticeLink, NOTICE_EVENTS, noticeText, type Notice } from './notice.ts';
import { createNotices } from './notices.ts';
import { NOTIFY_BODIES, type NotifyMessage, type WebhookFormat } from './notify-bodies.ts';

/** Sends notices to a webhook in the background, so no run waits for it. */
export interface Notifier {
  send(message: NotifyMessage): void;
  /** Resolves when nothing is left to send. */
  idle(): Promise<void>;
}

export interface NotifierOptions {
  readonly url: string;
  readonly format: WebhookFormat;
  /** Address of the page, without a slash at its end; null means that it is not known. */
  readonly pageUrl: string | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Removes secrets from a text. */
  readonly conceal: (text: string) => string;
  /** Called when the notifier gives up on a message. The reason holds no secret. */
  readonly onLost: (lost: NotifyMessage, reason: string) => void;
}

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1_000;
const TIMEOUT_MS = 10_000;
const MOST_WAITING = 50;

export function createNotifier(options: NotifierOptions): Notifier {
  const { clock } = options;
  const sentAt = new Map<string, { moments: readonly number[]; dropped: number }>();
  let waiting = 0;
  let queue: Promise<void> = Promise.resolve();
  const deliverAfter = async (others: Promise<void>, message: NotifyMessage, body: string): Promise<void> => {
    await others;
    const fault = await deliver(body, options);
    waiting -= 1;
    if (fault !== null) options.onLost(message, fault);
  };
  return {
    send(message) {
      const now = clock.monotonic();
      const known = sentAt.get(message.account) ?? { moments: [], dropped: 0 };
      sentAt.set(message.account, known);
      known.moments = momentsOfHour(known.moments, now);
      if (untilRoom(known.moments, now) > 0 || waiting >= MOST_WAITING) {
        // The next notice gives their number.
        known.dropped += 1;
        return;
      }
      known.moments = [...known.moments, now];
      const body = bodyOf(message, known.dropped, options);
      known.dropped = 0;
      waiting += 1;
      queue = deliverAfter(queue, message, body);
    },
    idle: () => queue,
  };
}

function bodyOf(
  message: NotifyMessage,
  dropped: number,
  { clock, conceal, format }: NotifierOptions,
): string {
  const more = dropped === 0 ? '' : `\n(${dropped} more were not sent: at most ${MOST_AN_HOUR} an hour)`;
  const at = iso(clock.now());
  const shown = concealAll({ ...message, text: `${message.text}${more}` }, conceal);
  return JSON.stringify(NOTIFY_BODIES[format](shown, at));
}

/** Merges the notices of one moment into one message per account, under the most severe of their events. */
function messagesOf(notices: readonly Notice[], pageUrl: string | null): readonly NotifyMessage[] {
  return [...Map.groupBy(notices, ({ account }) => account)].map(([account, all]) => {
    const events = new Set(all.map(({ event }) => event));
    return {
      event: NOTICE_EVENTS.find((event) => events.has(event)) ?? 'recovered',
      account,
      text: all.map(noticeText).join('\n'),
      count: all.reduce((sum, { count }) => sum + count, 0),
      items: all.flatMap(({ items }) => items),
      link: noticeLink(all, pageUrl),
    };
  });
}

/** Delivers a message. Returns null if it arrived, or why it did not. */
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
  /** Another attempt would have the same result. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Makes one attempt. The address is a secret, so no network error is passed on. */
async function attemptOnce(
  body: string,
  { url, fetch: post }: Pick<NotifierOptions, 'url' | 'fetch'>,
): Promise<Attempt> {
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

/** Sends the news in the events of a service. */
export interface NotifyChannel {
  /** Sends the news of an event in the background. */
  readonly tell: (event: DaemonEvent) => void;
  /** Resolves when nothing can be lost any more by the end of the process. */
  readonly close: () => Promise<void>;
}

/** Opens a webhook. */
export function openNotifier(options: NotifierOptions): NotifyChannel {
  const noticesOf = createNotices();
  const notifier = createNotifier(options);
  let waiting: readonly Notice[] = [];
  return {
    tell(event) {
      const notices = noticesOf(event);
      if (notices.length === 0) return;
      // All notices of one run are sent as one message.
      if (waiting.length === 0)
        queueMicrotask(() => {
          for (const message of messagesOf(waiting, options.pageUrl)) notifier.send(message);
          waiting = [];
        });
      waiting = [...waiting, ...notices];
    },
    close: () => Promise.resolve(),
  };
}

/** Sends a test message once. Returns null if it arrived, or why it did not. */
export async function testWebhook(
  options: Pick<NotifierOptions, 'url' | 'format' | 'pageUrl' | 'fetch' | 'clock'>,
): Promise<string | null> {
  const { format, clock, pageUrl } = options;
  const link = noticeLink([], pageUrl);
  const message = {
    event: 'test',
    account: '',
    text: `fwdsync: ${TEST_TEXT}`,
    count: 0,
    items: [],
    link,
  } as const;
  const result = await attemptOnce(JSON.stringify(NOTIFY_BODIES[format](message, iso(clock.now()))), options);
  return result.kind === 'done' ? null : result.message;
}

export const TEST_TEXT = 'this is a test: notifications arrive here';
