import type { MailLog } from '../account/model.ts';
import type { DomainRecord } from '../account/state.ts';
import type { NewLog } from '../logs/logs.ts';

/** Called after each event that an entry of a log gets. */
export type Logged = (domain: DomainRecord, log: MailLog) => void;

/** An answer of SMTP, as logs have it. */
export interface SmtpReply {
  readonly code: number;
  /** With the enhanced code in front, as in `5.1.1 no alias matches`. */
  readonly message: string;
}

/** The enhanced codes that the library adds to the answers of handlers, so that logs have what was sent. */
const ENHANCED = {
  250: '2.6.0',
  421: '4.4.2',
  451: '4.3.0',
  452: '4.2.2',
  530: '5.7.0',
  535: '5.7.8',
  550: '5.1.1',
  552: '5.2.2',
  553: '5.1.3',
  554: '5.6.0',
  555: '5.5.4',
} as const;

export function smtpReply(code: keyof typeof ENHANCED, text: string): SmtpReply {
  return { code, message: `${ENHANCED[code]} ${text}` };
}

/** Who handed a mail over, and how. */
export interface MailOrigin {
  readonly ip: string;
  /** What the client called itself. */
  readonly helo: string;
  /** As in a `Received` header: SMTP, ESMTP, ESMTPS, ESMTPSA. */
  readonly protocol: string;
}

/** A mail that was accepted and has not reached the end of all its ways yet. Addresses are in normal form: domains as ASCII. */
export interface QueuedMail {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** Of the envelope; empty: the null sender. */
  readonly sender: string;
  readonly origin: MailOrigin;
  /**
   * `forward`: it gets the headers of a forward, and another envelope sender. `send`: of somebody with a credential; it is
   * signed. `bounce`: ours; a failure of it is the end.
   */
  readonly purpose: 'forward' | 'send' | 'bounce';
  readonly deliveries: readonly MailDelivery[];
  /** Of a mail that an address of the account forwarded here. */
  readonly trail?: Trail | undefined;
}

/** The way of a message within the account. */
export interface Trail {
  /** The id of the mail that came in. */
  readonly message: string;
  /** The addresses that forwarded it, in lower case. */
  readonly through: readonly string[];
}

/** One way of a mail. */
export interface MailDelivery {
  /** The mail's id, a hyphen and a number: of the message in a mailbox too, so that nothing arrives twice. */
  readonly id: string;
  /** The address in the account that it was sent to; of mail that is sent: the destination. */
  readonly recipient: string;
  /** Of the account; its log and its keys are used. null: of a bounce. */
  readonly domain: string | null;
  /** An address or a URL. */
  readonly destination: string;
  /** What its log started as; null: it has none. */
  readonly log: (NewLog & { readonly id: string }) | null;
}

/** The result of one attempt. `server`: who answered; null: the mail host of the destination. */
export type DeliveryResult = SmtpReply & {
  readonly kind: 'delivered' | 'soft' | 'hard';
  readonly server: string | null;
};

/** `local` and `domain`, the latter in lower case; null: not an address. */
export function splitAddress(address: string): { readonly local: string; readonly domain: string } | null {
  const at = address.lastIndexOf('@');
  if (at < 1 || at === address.length - 1) return null;
  return { local: address.slice(0, at), domain: address.slice(at + 1).toLowerCase() };
}

const DOT_STRING =
  /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;

/** A local part as it is written in an address: in quotes only where it has to be. */
export function quoteLocal(text: string): string {
  return DOT_STRING.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** The reverse of `quoteLocal`. */
export function unquoteLocal(local: string): string {
  return local.startsWith('"') ? local.slice(1, -1).replaceAll(/\\(.)/g, '$1') : local;
}
