import type { Buffer } from 'node:buffer';
import type { MailDelivery, DeliveryResult, QueuedMail, SmtpReply } from '../mail.ts';
import { smtpReply } from '../mail.ts';
import type { Spool, Spooled } from '../spool/spool.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Delays in milliseconds between a temporary failure and the next attempt. After the last attempt a mail is given up. */
export const RETRY_DELAYS: readonly number[] = [
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  4 * HOUR,
  12 * HOUR,
  24 * HOUR,
];
/** Attempts for a webhook in all (field notes). */
const WEBHOOK_ATTEMPTS = 3;
/** Maximum number of parallel deliveries. Each goes to another destination, so that a slow one does not block the others. */
const MOST_AT_ONCE = 20;

/** A delivery that has not ended. */
interface Pending {
  readonly mail: QueuedMail;
  readonly delivery: MailDelivery;
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Epoch milliseconds of the emulator's clock. */
  readonly dueAt: number;
}

export type DeliveryOutcome =
  | { readonly kind: 'delivered' | 'hard'; readonly result: DeliveryResult }
  | { readonly kind: 'soft'; readonly result: DeliveryResult; readonly nextAt: number }
  /** The last attempt failed too. */
  | { readonly kind: 'expired'; readonly result: DeliveryResult; readonly reply: SmtpReply };

export interface QueueParts {
  readonly spool: Spool;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Tries one delivery. Does not reject. */
  readonly attempt: (mail: QueuedMail, delivery: MailDelivery, raw: Buffer) => Promise<DeliveryResult>;
  /** Called after each attempt, before the mail may leave the queue. */
  readonly record: (
    mail: QueuedMail,
    delivery: MailDelivery,
    outcome: DeliveryOutcome,
    raw: Buffer,
  ) => Promise<void>;
}

/** A note in the spool about a delivery. */
interface DeliveryNote {
  readonly delivery: string;
  /** The next attempt. null means that the delivery has ended. */
  readonly next: { readonly attempts: number; readonly dueAt: number } | null;
}

/** Queue of mails. Each delivery is attempted when it is due, and retried later after a temporary failure. */
export class MailQueue {
  readonly #parts: QueueParts;
  /** Deliveries by destination, each list in order of due times. */
  readonly #pending = new Map<string, Pending[]>();
  /** Destinations with a running attempt. */
  readonly #busy = new Set<string>();
  /** Deliveries of each mail that have not ended. */
  readonly #open = new Map<string, Set<MailDelivery['id']>>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #idlers = new Set<() => void>();
  #pause = new AbortController();
  #loop = Promise.resolve();
  #isLooping = false;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** Stores a mail. Resolves when it is safe, or to false if there is no room. */
  keep(mail: QueuedMail, raw: Buffer): Promise<boolean> {
    return this.#parts.spool.put('queue', mail.id, mail, raw);
  }

  /** Starts the deliveries of a stored mail. */
  schedule(mail: QueuedMail): void {
    const first = { attempts: 0, dueAt: mail.receivedAt };
    this.#add(
      mail,
      mail.deliveries.map((delivery) => ({ mail, delivery, ...first })),
    );
  }

  /** Resumes a mail of an earlier process. `isOver` is true if a delivery has ended although no note says so. */
  async resume(
    { meta: mail, notes }: Spooled<QueuedMail>,
    isOver: (delivery: MailDelivery) => boolean,
  ): Promise<void> {
    const latest = new Map((notes as readonly DeliveryNote[]).map((note) => [note.delivery, note.next]));
    const left = mail.deliveries.filter((each) => latest.get(each.id) !== null && !isOver(each));
    if (left.length === 0) return this.#parts.spool.remove('queue', mail.id);
    const first = { attempts: 0, dueAt: mail.receivedAt };
    this.#add(
      mail,
      left.map((delivery) => ({ mail, delivery, ...(latest.get(delivery.id) ?? first) })),
    );
  }

  #add({ id }: QueuedMail, pending: readonly Pending[]): void {
    this.#open.set(id, new Set(pending.map(({ delivery }) => delivery.id)));
    for (const each of pending) this.#push(each);
    this.wake();
  }

  /** Checks the queue again, because the clock was moved or deliveries were added. */
  wake(): void {
    this.#pause.abort();
    if (this.#isIdle()) {
      for (const resolve of this.#idlers) resolve();
      this.#idlers.clear();
    }
    if (this.#closing.signal.aborted || this.#isLooping) return;
    this.#isLooping = true;
    this.#loop = this.#run();
  }

  /** Returns the number of deliveries that have not ended. */
  size(): number {
    return this.#pending.values().reduce((sum, own) => sum + own.length, this.#running.size);
  }

  /** Resolves when no attempt is running and none is due. */
  idle(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => void this.#idlers.add(resolve));
  }

  /** Stops after the running attempts. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.wake();
    await Promise.all(this.#running);
    await this.#loop;
  }

  #isIdle(): boolean {
    if (this.#closing.signal.aborted) return true;
    return this.#running.size === 0 && (this.#first()?.dueAt ?? Infinity) > this.#parts.now();
  }

  #push(item: Pending): void {
    const { destination } = item.delivery;
    const own = this.#pending.get(destination) ?? [];
    this.#pending.set(destination, own);
    const after = own.findLastIndex(({ dueAt }) => dueAt <= item.dueAt);
    own.splice(after + 1, 0, item);
  }

  /** Returns the first delivery that may start. undefined means that none may start until an attempt ends. */
  #first(): Pending | undefined {
    if (this.#running.size >= MOST_AT_ONCE) return undefined;
    return this.#pending
      .entries()
      .filter(([destination]) => !this.#busy.has(destination))
      .flatMap(([, own]) => own.slice(0, 1))
      .reduce<Pending | undefined>(
        (first, one) => (first !== undefined && first.dueAt <= one.dueAt ? first : one),
        undefined,
      );
  }

  async #run(): Promise<void> {
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      if (this.#closing.signal.aborted) break;
      const wait = first.dueAt - this.#parts.now();
      if (wait > 0) {
        this.#pause = new AbortController();
        await this.#parts.sleep(wait, AbortSignal.any([this.#pause.signal, this.#closing.signal]));
      } else this.#begin(first);
    }
    this.#isLooping = false;
  }

  #begin(item: Pending): void {
    const { destination } = item.delivery;
    const own = this.#pending.get(destination);
    own?.shift();
    if (own?.length === 0) this.#pending.delete(destination);
    this.#busy.add(destination);
    const job = this.#attempt(item)
      // Most likely the disk failed. The mail is still there.
      .catch(() => this.#push({ ...item, dueAt: this.#parts.now() + MINUTE }))
      .finally(() => {
        this.#running.delete(job);
        this.#busy.delete(destination);
        this.wake();
      });
    this.#running.add(job);
  }

  async #attempt({ mail, delivery, attempts }: Pending): Promise<void> {
    const { spool, now } = this.#parts;
    const raw = await spool.raw('queue', mail.id);
    if (raw === undefined) return;
    const result = await this.#parts.attempt(mail, delivery, raw);
    const outcome = outcomeOf(result, delivery, attempts + 1, now());
    await this.#parts.record(mail, delivery, outcome, raw);
    if (outcome.kind !== 'soft') return this.#finish(mail, delivery);
    const next = { attempts: attempts + 1, dueAt: outcome.nextAt };
    await spool.note('queue', mail.id, { delivery: delivery.id, next } satisfies DeliveryNote);
    this.#push({ mail, delivery, ...next });
  }

  async #finish({ id }: QueuedMail, delivery: MailDelivery): Promise<void> {
    const { spool } = this.#parts;
    const open = this.#open.get(id);
    // Deleted by id: a delivery whose end could not be noted is attempted again, and then ends only once.
    open?.delete(delivery.id);
    if (open !== undefined && open.size > 0) {
      await spool.note('queue', id, { delivery: delivery.id, next: null } satisfies DeliveryNote);
      return;
    }
    this.#open.delete(id);
    await spool.remove('queue', id);
  }
}

function outcomeOf(
  result: DeliveryResult,
  { destination }: MailDelivery,
  attempts: number,
  now: number,
): DeliveryOutcome {
  if (result.kind !== 'soft') return { kind: result.kind, result };
  const delay = RETRY_DELAYS[attempts - 1];
  const isOver = destination.includes('://') && attempts >= WEBHOOK_ATTEMPTS;
  if (delay !== undefined && !isOver) return { kind: 'soft', result, nextAt: now + delay };
  const reply = smtpReply(554, `given up after ${attempts} attempts: ${result.code} ${result.message}`);
  return { kind: 'expired', result, reply };
}
