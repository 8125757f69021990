import { parseJsonText } from '../../engine/state/documents.ts';
import { TONES, type Notice } from './notice.ts';

/**
 * Notifications that wait to be sent by mail, `fwdsync/notifications@1` (schemas/notifications.v1.schema.json). All times
 * are epoch milliseconds. No text holds a secret.
 */
export interface Outbox {
  readonly kind: 'fwdsync/notifications@1';
  /** The last moment at which a gathered mail was due, even if there was nothing to say. */
  readonly gatheredAt: number;
  /** The mail that a process is sending. If that process ends, others wait for `until`. */
  readonly sending: { readonly id: string; readonly until: number } | null;
  readonly waiting: readonly WaitingNotice[];
  /** Number of gathered notices that are not kept, because there were too many. */
  readonly dropped: number;
}

export interface WaitingNotice {
  readonly id: string;
  readonly at: number;
  readonly notice: Notice;
}

export interface Gathering {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Milliseconds between two gathered mails; null means that each notice is sent at once. */
  readonly everyMs: number | null;
}

/** One mail: notices of one moment, or those gathered since the last one. */
export interface MailBatch {
  readonly kind: 'at-once' | 'gathered';
  readonly notices: readonly WaitingNotice[];
  /** Number of further notices that were not kept. */
  readonly dropped: number;
  /** Epoch milliseconds since which it is due. */
  readonly dueAt: number;
}

const KIND = 'fwdsync/notifications@1';
/** Time after which a mail is sent again if its sender did not say that it was sent. */
const CLAIM_MS = 5 * 60_000;
/** Maximum number of notices that wait. */
const MOST_WAITING = 500;

/** Parses an outbox. A text that this version did not write counts as none. */
export function readOutbox(text: string | null, now: number): Outbox {
  const value = text === null ? null : (parseJsonText(text) as Partial<Outbox> | null);
  if (value?.kind === KIND && Array.isArray(value.waiting) && typeof value.gatheredAt === 'number')
    return value as Outbox;
  return { kind: KIND, gatheredAt: now, sending: null, waiting: [], dropped: 0 };
}

export function writeOutbox(outbox: Outbox): string {
  return `${JSON.stringify(outbox)}\n`;
}

/** Adds notices, without those that already wait and still hold. */
export function addNotices(outbox: Outbox, added: readonly WaitingNotice[]): Outbox {
  return added.reduce((all, entry) => {
    if (isWaiting(all, entry.notice)) return all;
    if (all.waiting.length >= MOST_WAITING) return { ...all, dropped: all.dropped + 1 };
    return { ...all, waiting: [...all.waiting, entry] };
  }, outbox);
}

/** True if an equal notice waits and nothing of its account was resolved since. */
function isWaiting({ waiting }: Outbox, notice: Notice): boolean {
  const text = JSON.stringify(notice);
  const last = waiting.findLastIndex((entry) => JSON.stringify(entry.notice) === text);
  if (last === -1) return false;
  const isResolved = waiting
    .slice(last + 1)
    .some(({ notice: later }) => later.account === notice.account && TONES[later.event] === 'good');
  return !isResolved;
}

/** Returns the mail that is due; null if none is, or if another process is sending one. */
export function dueMail(outbox: Outbox, how: Gathering): MailBatch | null {
  const { waiting, sending, dropped } = outbox;
  if (sending !== null && sending.until > how.now) return null;
  const urgent = waiting.filter((entry) => isUrgent(entry, how));
  if (urgent.length > 0) return { kind: 'at-once', notices: urgent, dropped: 0, dueAt: how.now };
  const dueAt = lastTick(outbox, how);
  const isDue = waiting.some(({ at }) => at < dueAt);
  return isDue ? { kind: 'gathered', notices: waiting, dropped, dueAt } : null;
}

function isUrgent({ notice }: WaitingNotice, { everyMs }: Gathering): boolean {
  return everyMs === null || notice.urgent;
}

/** Returns the last moment at which a gathered mail was due. The moments are fixed, so that one burst makes one mail. */
function lastTick({ gatheredAt }: Outbox, { now, everyMs }: Gathering): number {
  if (everyMs === null) return now;
  // A clock that was set back must not delay mail for longer than one interval.
  return gatheredAt > now ? now : gatheredAt + Math.floor((now - gatheredAt) / everyMs) * everyMs;
}

/** Records that a process begins to send a mail. */
export function beginSending(outbox: Outbox, id: string, now: number): Outbox {
  return { ...outbox, sending: { id, until: now + CLAIM_MS } };
}

/** Records that a mail was sent, or if it is null, that sending it failed. */
export function endSending(outbox: Outbox, id: string, sent: MailBatch | null): Outbox {
  const free = outbox.sending?.id === id ? { ...outbox, sending: null } : outbox;
  if (sent === null) return free;
  const ids = new Set(sent.notices.map((entry) => entry.id));
  const rest = { ...free, waiting: free.waiting.filter((entry) => !ids.has(entry.id)) };
  if (sent.kind === 'at-once') return rest;
  return { ...rest, dropped: Math.max(0, rest.dropped - sent.dropped), gatheredAt: sent.dueAt };
}

/** Returns the milliseconds until something may be due. */
export function untilDue(outbox: Outbox, how: Gathering): number {
  const { now, everyMs } = how;
  const claim = outbox.sending === null ? Infinity : outbox.sending.until - now;
  const tick = everyMs === null ? Infinity : lastTick(outbox, how) + everyMs - now;
  return Math.max(1, Math.min(claim > 0 ? claim : Infinity, tick));
}
