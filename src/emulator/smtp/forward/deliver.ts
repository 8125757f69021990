import type { Buffer } from 'node:buffer';
import type { State } from '../../account/state.ts';
import { MAIL_HOST } from '../../logs/logs-events.ts';
import { headerLine, withHeader, withReturnPath } from '../headers.ts';
import {
  smtpReply,
  splitAddress,
  type DeliveryResult,
  type Logged,
  type MailDelivery,
  type QueuedMail,
} from '../mail.ts';
import type { Mailboxes } from '../mailboxes/mailboxes.ts';
import { judgeRecipient, normalAddress } from '../receive/recipients.ts';
import type { Acceptance, IncomingMail } from '../receive/accept.ts';
import { sendBySmtp, type SmtpHost } from './client.ts';
import { receivedLine, signMail, type createComposer, type ComposeParts } from './compose.ts';
import type { FailureScript, ScriptedFailure } from './scripted.ts';
import { rewriteSender } from './srs.ts';
import { extendTrail } from './visits.ts';

export interface DeliverParts extends ComposeParts {
  /** Composes the content of a forwarded mail. */
  readonly compose: ReturnType<typeof createComposer>;
  readonly state: () => State;
  readonly mailboxes: Mailboxes;
  readonly script: FailureScript;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The relay for mail. null means that all mail stays here. */
  readonly relay: SmtpHost | null;
  /** Accepts a mail for another address of the account. */
  readonly accept: (mail: IncomingMail) => Promise<Acceptance>;
  /** Calls a destination that is a URL. */
  readonly callWebhook: (call: WebhookDelivery) => Promise<DeliveryResult>;
  readonly logged: Logged;
}

export interface WebhookDelivery {
  readonly url: string;
  readonly mail: QueuedMail;
  readonly delivery: MailDelivery;
  /** The mail as it was received. */
  readonly raw: Buffer;
}

/** Tries once to deliver a mail to a destination. */
export async function deliverOnce(
  parts: DeliverParts,
  mail: QueuedMail,
  delivery: MailDelivery,
  raw: Buffer,
): Promise<DeliveryResult> {
  const failure = parts.script.next(delivery.destination);
  if (failure !== undefined && failure.do !== 'slow') return scriptedResult(failure);
  if (failure !== undefined) await parts.sleep(failure.ms ?? 1000);
  try {
    return await deliverByKind(parts, mail, delivery, raw);
  } catch (error) {
    // A mail that a library cannot read must not stay in the queue forever, or block others.
    const reason = error instanceof Error ? error.message : String(error);
    return {
      kind: 'soft',
      ...smtpReply(451, `the message could not be processed: ${reason}`),
      server: MAIL_HOST,
    };
  }
}

async function deliverByKind(
  parts: DeliverParts,
  mail: QueuedMail,
  delivery: MailDelivery,
  raw: Buffer,
): Promise<DeliveryResult> {
  const { destination } = delivery;
  if (destination.includes('://')) return parts.callWebhook({ url: destination, mail, delivery, raw });
  const content = await contentOf(parts, mail, delivery, raw);
  const sender = senderOf(parts, mail, delivery);
  const domain = splitAddress(normalAddress(destination))?.domain ?? '';
  if (parts.state().domains.get(domain) !== undefined)
    return handOver(parts, { mail, delivery, sender, content });
  if (parts.relay !== null) {
    return sendBySmtp(parts.relay, MAIL_HOST, { sender, recipient: destination, raw: content });
  }
  return store(parts, { delivery, sender, content });
}

async function contentOf(
  parts: DeliverParts,
  mail: QueuedMail,
  { domain, recipient, destination }: MailDelivery,
  raw: Buffer,
): Promise<Buffer> {
  if (mail.purpose === 'bounce') return raw;
  const received = mail.purpose === 'send' ? withHeader(receivedLine(mail), raw) : raw;
  if (mail.purpose === 'send') {
    return domain === null
      ? received
      : signMail(received, domain, { keys: parts.keys, now: mail.receivedAt });
  }
  const forwarded = await parts.compose({ mail, raw, recipient });
  return withHeader(
    headerLine('X-Forwarded-To', destination) + headerLine('X-Original-To', recipient),
    forwarded,
  );
}

function senderOf(
  { keys, state }: DeliverParts,
  { sender, purpose }: QueuedMail,
  { domain }: MailDelivery,
): string {
  if (purpose !== 'forward' || domain === null) return sender;
  return rewriteSender(sender, domain, { key: keys.srsKey, now: state().environment.now() });
}

/** Delivers to a destination in the account itself, as if the mail had come over the network. */
async function handOver(
  parts: DeliverParts,
  {
    mail,
    delivery: { destination, recipient },
    sender,
    content,
  }: {
    readonly mail: QueuedMail;
    readonly delivery: MailDelivery;
    readonly sender: string;
    readonly content: Buffer;
  },
): Promise<DeliveryResult> {
  const { keys, logged } = parts;
  const { srsKey } = keys;
  const verdict = judgeRecipient(parts.state(), {
    recipient: normalAddress(destination),
    sender,
    srsKey,
    logged,
  });
  const answer =
    verdict.kind === 'refused'
      ? verdict
      : await parts.accept({
          raw: content,
          sender,
          origin: { ip: '127.0.0.1', helo: MAIL_HOST, protocol: mail.origin.protocol },
          recipients: [verdict],
          trail: extendTrail(mail, recipient),
        });
  const isHard = answer.kind === 'refused' && answer.reply.code >= 500;
  const kind = answer.kind === 'accepted' ? 'delivered' : isHard ? 'hard' : 'soft';
  return { kind, ...answer.reply, server: MAIL_HOST };
}

async function store(
  { mailboxes, state }: DeliverParts,
  {
    delivery,
    sender,
    content,
  }: { readonly delivery: MailDelivery; readonly sender: string; readonly content: Buffer },
): Promise<DeliveryResult> {
  const { id, destination, recipient } = delivery;
  const arrivedAt = state().environment.now();
  const mail = { id, address: destination, arrivedAt, sender, recipient, type: 'mail' as const };
  const isStored = await mailboxes.store(mail, withReturnPath(sender, content));
  return isStored
    ? { kind: 'delivered', ...smtpReply(250, `Ok: stored as ${id}`), server: null }
    : {
        kind: 'soft',
        ...smtpReply(452, 'the mailboxes are full: remove mail, or keep it with --state'),
        server: null,
      };
}

function scriptedResult({ do: action, code, message }: ScriptedFailure): DeliveryResult {
  switch (action) {
    case 'drop':
      return { kind: 'soft', ...smtpReply(421, message ?? 'the connection was closed'), server: null };
    case '5xx':
      return { kind: 'hard', code: code ?? 550, message: message ?? '5.1.1 No such user here', server: null };
    case '4xx':
    case 'slow':
      return {
        kind: 'soft',
        code: code ?? 451,
        message: message ?? '4.3.0 Temporary failure, try again later',
        server: null,
      };
  }
}
