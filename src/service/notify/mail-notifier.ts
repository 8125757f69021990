import type { Clock } from '../../core/model/clock.ts';
import type { Result } from '../../core/model/result.ts';
import type { SharedText } from '../../engine/state/store.ts';
import { createWakeup, type Wakeup } from '../daemon/wakeup.ts';
import { momentsOfHour, untilRoom } from './hourly-limit.ts';
import { mailText } from './mail-text.ts';
import type { PlainMail } from './mailer.ts';
import { concealAll } from '../conceal/conceal-all.ts';
import type { NotifyChannel } from './notifier.ts';
import { createNotices } from './notices.ts';
import {
  addNotices,
  beginSending,
  dueMail,
  endSending,
  readOutbox,
  untilDue,
  writeOutbox,
  type Gathering,
  type MailBatch,
  type Outbox,
  type WaitingNotice,
} from './outbox.ts';

export interface MailNotifierOptions {
  /** Milliseconds between two gathered mails; null means that each notice is sent at once. */
  readonly everyMs: number | null;
  readonly pageUrl: string | null;
  readonly clock: Clock;
  /** Holds the notices that wait, for all processes with the same state. */
  readonly state: SharedText;
  readonly send: (mail: PlainMail) => Promise<Result<string | null, string>>;
  /** Returns a new unique name. */
  readonly newId: () => string;
  /** Removes secrets from a text. */
  readonly conceal: (text: string) => string;
  /** Called with the reason if mail waits, or was not taken for all recipients; once for the same reason. */
  readonly onFault: (message: string) => void;
}

/** Pauses after failures. Mail waits for a server as long as it takes. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Interval at which notices of other processes are looked for. */
const LOOK_MS = 6 * 3_600_000;

/**
 * Sends the news in the events of a service by mail, in the background. What waits is kept in the state before it is
 * sent, and removed after that. A process that ends between the two makes a mail arrive twice.
 */
export function openMailNotifier(options: MailNotifierOptions): NotifyChannel {
  const noticesOf = createNotices();
  const work: Work = {
    options,
    unsaved: [],
    pauseMs: FIRST_PAUSE_MS,
    sentAt: [],
    fault: null,
  };
  const wakeup = createWakeup(options.clock);
  const closing = new AbortController();
  const ended = sendUntil(closing.signal, work, wakeup);
  return {
    tell(event) {
      const notices = noticesOf(event);
      if (notices.length === 0) return;
      const at = options.clock.now();
      const added = notices.map((notice) => ({
        id: options.newId(),
        at,
        notice: concealAll(notice, options.conceal),
      }));
      work.unsaved = [...work.unsaved, ...added];
      wakeup.wake();
    },
    async close() {
      closing.abort();
      wakeup.wake();
      await ended;
      await exchange(work, (outbox) => outbox);
    },
  };
}

interface Work {
  readonly options: MailNotifierOptions;
  /** Notices that are not in the state yet. */
  unsaved: readonly WaitingNotice[];
  /** The pause after the next failure. */
  pauseMs: number;
  /** Times of the mails of the last hour, in monotonic milliseconds. */
  sentAt: readonly number[];
  /** The fault that was reported last; null if there is none. */
  fault: string | null;
}

async function sendUntil(closing: AbortSignal, work: Work, wakeup: Wakeup): Promise<void> {
  while (!closing.aborted) {
    const waitMs = await step(work);
    if (!closing.aborted) await wakeup.wait(waitMs);
  }
}

/** Sends what is due. Returns the milliseconds until something may be due. */
async function step(work: Work): Promise<number> {
  const { options } = work;
  const { clock, newId } = options;
  const now = clock.monotonic();
  work.sentAt = momentsOfHour(work.sentAt, now);
  // Notices beyond the limit wait, and go out as one mail.
  const full = untilRoom(work.sentAt, now);
  const claim = newId();
  let batch: MailBatch | null = null;
  let waitMs = LOOK_MS;
  const saved = await exchange(work, (outbox, how) => {
    batch = full > 0 ? null : dueMail(outbox, how);
    waitMs = Math.min(LOOK_MS, untilDue(outbox, how));
    return batch === null ? outbox : beginSending(outbox, claim, how.now);
  });
  if (!saved) batch = full > 0 ? null : unsavedMail(work);
  if (batch === null) return !saved ? pause(work) : full > 0 ? full : waitMs;
  const isSent = await send(work, batch);
  if (isSent) work.sentAt = [...work.sentAt, clock.monotonic()];
  if (saved) await exchange(work, (outbox) => endSending(outbox, claim, isSent ? batch : null));
  else if (isSent) work.unsaved = work.unsaved.filter((entry) => batch?.notices.includes(entry) !== true);
  if (!isSent) return pause(work);
  work.pauseMs = FIRST_PAUSE_MS;
  return 0;
}

/** Returns what cannot wait for a state that cannot be written. */
function unsavedMail({ unsaved, options }: Work): MailBatch | null {
  const notices = unsaved.filter(({ notice }) => options.everyMs === null || notice.urgent);
  return notices.length === 0 ? null : { kind: 'at-once', notices, dropped: 0, dueAt: options.clock.now() };
}

function pause(work: Work): number {
  const { pauseMs } = work;
  work.pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 4);
  return pauseMs;
}

/** Saves new notices and changes what waits. Returns false if the state cannot be written. */
async function exchange(work: Work, change: (outbox: Outbox, how: Gathering) => Outbox): Promise<boolean> {
  const { state, clock, everyMs } = work.options;
  const added = work.unsaved;
  const saved = await state.change((text) => {
    const how = { now: clock.now(), everyMs };
    return writeOutbox(change(addNotices(readOutbox(text, how.now), added), how));
  });
  if (saved.ok) work.unsaved = work.unsaved.slice(added.length);
  else tell(work, `notifications are not kept: ${saved.error.message}`);
  return saved.ok;
}

async function send(work: Work, batch: MailBatch): Promise<boolean> {
  const { options } = work;
  const { subject, text } = mailText(batch, options.pageUrl);
  const id = batch.notices.map((entry) => entry.id).join();
  const sent = await options.send({ id, at: options.clock.now(), subject, text });
  if (!sent.ok) tell(work, `a notification waits: ${sent.error}`);
  else if (sent.value !== null) tell(work, sent.value);
  else work.fault = null;
  return sent.ok;
}

function tell(work: Work, fault: string): void {
  if (fault !== work.fault) work.options.onFault(fault);
  work.fault = fault;
}
