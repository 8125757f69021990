import type { Buffer } from 'node:buffer';
import { MAIL_HOST } from '../logs/logs-events.ts';
import type { State } from '../account/state.ts';
import type { Emulator } from '../http/server.ts';
import { composeBounce } from './forward/bounce.ts';
import type { SmtpHost } from './forward/client.ts';
import { createComposer } from './forward/compose.ts';
import { deliverOnce, type DeliverParts } from './forward/deliver.ts';
import { MailQueue, type DeliveryOutcome } from './forward/queue.ts';
import { isRecordedOver, recordOutcome } from './forward/record.ts';
import { createVisits } from './forward/visits.ts';
import { createFailureScript, type FailureScript } from './forward/scripted.ts';
import type { Logged, MailDelivery, QueuedMail, SmtpReply } from './mail.ts';
import { createMailboxes, type ArrivedMail, type Mailboxes } from './mailboxes/mailboxes.ts';
import { mailControl } from './mailboxes/mailbox-routes.ts';
import { acceptMail, type Acceptance, type AcceptingQueue, type IncomingMail } from './receive/accept.ts';
import { makeCertificate, type Certificate } from './receive/certificate.ts';
import { normalAddress } from './receive/recipients.ts';
import { listenForMail, type SmtpListener } from './receive/receiving-server.ts';
import { openDirectorySpool, readSpoolBox } from './spool/directory.ts';
import { openLogJournal, type LogJournal } from './spool/journal.ts';
import { createMemorySpool } from './spool/spool.ts';
import { listenForSubmissions, refuseSender, type SubmissionParts } from './submission/submission-server.ts';
import { submitMail } from './submission/submit.ts';
import type { WebhookParts } from './webhooks/call.ts';
import { deliverToWebhook } from './webhooks/deliver.ts';
import { postEvent } from './webhooks/events.ts';
import { readSigningKeys } from './world/keys.ts';
import { createWorld, type WorldResolver } from './world/world.ts';

const MEMORY_BYTES = 96 * 1024 * 1024;
/** Memory for mail that is being received. */
const RECEIVING_BYTES = 64 * 1024 * 1024;
/** Maximum size of a message. */
const MAXIMUM_BYTES = 25 * 1024 * 1024;

export interface MailOptions {
  /** Port of the mail server. 0 takes a free port; undefined means that no mail is received. */
  readonly smtpPort?: number | undefined;
  /** Port of the server for mail programs. 0 takes a free port; undefined means that there is no such server. */
  readonly submissionPort?: number | undefined;
  /** Relay on loopback. undefined means that mail stays in the emulator's own mailboxes. */
  readonly relay?: SmtpHost | undefined;
  /** Key for rewritten senders. undefined means the key of the state, or a random one. */
  readonly srsKey?: string | undefined;
  /** Directory that keeps mail across restarts. */
  readonly directory?: string | undefined;
  /** Maximum bytes of mail in memory if there is no directory. The default is 96 MiB. */
  readonly memoryBytes?: number | undefined;
  /** TLS certificate. undefined means that one is created. */
  readonly certificate?: Certificate | undefined;
  /** Origins of webhooks to call, `http://127.0.0.1:PORT`. Calls to all others are only recorded. */
  readonly webhooks?: readonly string[] | undefined;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a UUID. */
  readonly randomId: () => string;
}

export interface MailService {
  /** `127.0.0.1:PORT`. null means that it is not served. */
  readonly smtp: string | null;
  readonly submission: string | null;
  readonly queue: MailQueue;
  readonly mailboxes: Mailboxes;
  readonly script: FailureScript;
  /** DNS as the emulator sees it. */
  readonly world: WorldResolver;
  /** The journal, for the code that saves the account. null means that there is no directory. */
  readonly journal: LogJournal | null;
  close(): Promise<void>;
}

/** Lets an emulator receive and forward mail. Rejects if a port is not available or the directory cannot be used. */
export async function startMail(emulator: Emulator, options: MailOptions): Promise<MailService> {
  const { queue, accepting, journal, parts } = await createService(emulator, options);
  const { mailboxes, script, state, keys, accept, logged } = parts;
  if (options.directory !== undefined) await resume(options.directory, { queue, mailboxes, state: state() });
  emulator.clock.onAdvance(() => queue.wake());
  emulator.controlExtensions.push(
    mailControl({ mailboxes, script, world: parts.world, sleep: options.sleep }),
  );
  const reception = {
    state,
    srsKey: keys.srsKey,
    certificate: options.certificate ?? makeCertificate(MAIL_HOST, emulator.clock.now()),
    maximumBytes: MAXIMUM_BYTES,
    room: { maximumBytes: RECEIVING_BYTES, usedBytes: 0 },
    accept,
    logged,
    changed: emulator.changed,
  };
  const listeners: SmtpListener[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.close()));
    await queue.close();
  };
  const open = async (
    port: number | undefined,
    listenOn: (port: number) => Promise<SmtpListener>,
  ): Promise<string | null> => {
    if (port === undefined) return null;
    const listener = await listenOn(port);
    listeners.push(listener);
    return listener.address;
  };
  try {
    const smtp = await open(options.smtpPort, (port) => listenForMail(reception, port));
    const submit = submitter(emulator, accepting);
    const submission = await open(options.submissionPort, (port) =>
      listenForSubmissions({ ...reception, submit }, port),
    );
    return { smtp, submission, queue, mailboxes, script, world: parts.world, journal, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function acceptingQueue(queue: MailQueue, logged: Logged): AcceptingQueue {
  return {
    keep: (mail, raw) => queue.keep(mail, raw),
    schedule: (mail) => queue.schedule(mail),
    logged,
  };
}

/** Returns a function that sends mail as the switches allow. They may change at any time. */
function submitter(emulator: Emulator, queue: AcceptingQueue): SubmissionParts['submit'] {
  return oneAtATime(async (mail) => {
    const { state } = emulator.store;
    const refuseFrom = (address: string): SmtpReply | null =>
      refuseSender(state, mail.submitter, normalAddress(address));
    const acceptance = await submitMail({ state, queue, refuseFrom }, mail);
    emulator.changed();
    return acceptance;
  });
}

interface CreatedService extends Pick<MailService, 'queue' | 'journal'> {
  readonly accepting: AcceptingQueue;
  readonly parts: DeliverParts;
}

async function createService(emulator: Emulator, options: MailOptions): Promise<CreatedService> {
  const state = (): Emulator['store']['state'] => emulator.store.state;
  const { directory, sleep, randomId, srsKey } = options;
  const spool =
    directory === undefined
      ? createMemorySpool(options.memoryBytes ?? MEMORY_BYTES)
      : await openDirectorySpool(directory);
  const keys = await readSigningKeys(state().mail, { srsKey, randomId });
  emulator.changed();
  const mailboxes = createMailboxes(spool);
  const journal = directory === undefined ? null : openLogJournal(directory, state());
  const webhooks: WebhookParts = {
    origins: new Set(options.webhooks),
    mailboxes,
    now: emulator.clock.now,
    sleep,
  };
  const logged = logging(journal, webhooks);
  const visits = createVisits();
  const accept = oneAtATime(async (mail: IncomingMail): Promise<Acceptance> => {
    const acceptance = visits.judge(mail) ?? (await acceptMail(state(), accepting, mail));
    visits.note(mail, acceptance);
    emulator.changed();
    return acceptance;
  });
  const world = createWorld(state, () => keys.publicKey);
  const parts: DeliverParts = {
    keys,
    world,
    compose: createComposer({ keys, world }),
    state,
    mailboxes,
    script: createFailureScript(),
    sleep,
    relay: options.relay ?? null,
    accept,
    callWebhook: (call) => deliverToWebhook(webhooks, call),
    logged,
  };
  const queue: MailQueue = new MailQueue({
    spool,
    now: emulator.clock.now,
    sleep,
    attempt: (mail, delivery, raw) => deliverOnce(parts, mail, delivery, raw),
    record: (mail, delivery, outcome, raw) =>
      record({ emulator, queue, logged }, { mail, delivery, outcome, raw }),
  });
  const accepting = acceptingQueue(queue, logged);
  return { queue, accepting, journal, parts };
}

function logging(journal: LogJournal | null, webhooks: WebhookParts): Logged {
  return (domain, log) => {
    journal?.add(domain, log);
    void postEvent(webhooks, domain, log);
  };
}

/** Resumes mail of an earlier process: restores mailboxes and continues deliveries. */
async function resume(
  directory: string,
  { queue, mailboxes, state }: Pick<MailService, 'queue' | 'mailboxes'> & { readonly state: State },
): Promise<void> {
  const arrived: ArrivedMail[] = [];
  for await (const { meta } of readSpoolBox<ArrivedMail>(directory, 'mailboxes')) arrived.push(meta);
  for (const mail of arrived.sort((a, b) => a.arrivedAt - b.arrivedAt)) mailboxes.restore(mail);
  for await (const spooled of readSpoolBox<QueuedMail>(directory, 'queue'))
    await queue.resume(spooled, (delivery) => isRecordedOver(state, delivery));
}

interface RecordParts {
  readonly emulator: Emulator;
  readonly queue: MailQueue;
  readonly logged: Logged;
}

interface AttemptedMail {
  readonly mail: QueuedMail;
  readonly delivery: MailDelivery;
  readonly outcome: DeliveryOutcome;
  readonly raw: Buffer;
}

/**
 * Composes the bounce of a delivery, or returns null if there is none. Its id follows from the delivery, so that it arrives
 * once even if it is stored twice.
 */
function bounceOf(
  { mail, delivery, outcome, raw }: AttemptedMail,
  now: number,
): ReturnType<typeof composeBounce> {
  if (outcome.kind === 'delivered' || outcome.kind === 'soft') return null;
  const reply = outcome.kind === 'expired' ? outcome.reply : outcome.result;
  return composeBounce({ mail, delivery, raw, reply }, { id: `${delivery.id}-bounce`, now });
}

/** Logs the result of an attempt, and sends a bounce if the mail is given up. */
async function record(
  { emulator, queue, logged }: RecordParts,
  { mail, delivery, outcome, raw }: AttemptedMail,
): Promise<void> {
  const bounce = bounceOf({ mail, delivery, outcome, raw }, emulator.clock.now());
  // If there is no room for its bounce, a mail stays in the queue. Otherwise its sender would never hear of the failure.
  if (bounce !== null && !(await queue.keep(bounce.mail, bounce.raw)))
    throw new Error('there is no room left for a bounce');
  recordOutcome(emulator.store.state, mail, delivery, { outcome, logged });
  emulator.changed();
  if (bounce !== null) queue.schedule(bounce.mail);
}

/** Runs the work for one mail at a time, because each may take several times its size in memory. */
function oneAtATime<Item, Result>(work: (item: Item) => Promise<Result>): (item: Item) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (item) => {
    const result = last.then(() => work(item));
    last = result.catch(() => undefined);
    return result;
  };
}
