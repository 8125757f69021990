import type { MailLog } from '../account/model.ts';
import type { DomainRecord } from '../account/state.ts';
import type { NewLog } from '../logs/logs.ts';

/** Callback for each event that a log entry gets. */
export type Logged = (domain: DomainRecord, log: MailLog) => void;

/** An SMTP reply, in the form that logs keep. */
export interface SmtpReply {
  readonly code: number;
  /** Text with the enhanced code in front, such as `5.1.1 no alias matches`. */
  readonly message: string;
}

/** Enhanced codes that the library adds to the replies of handlers. With them, logs contain what was sent. */
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

/** The client that handed over a mail, and its protocol. */
export interface MailOrigin {
  readonly ip: string;
  /** Name that the client gave in HELO or EHLO. */
  readonly helo: string;
  /** Protocol as in a `Received` header: SMTP, ESMTP, ESMTPS, ESMTPSA. */
  readonly protocol: string;
}

/** An accepted mail with deliveries that have not ended. Addresses are in normal form: domains as ASCII. */
export interface QueuedMail {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** The envelope sender. Empty means the null sender. */
  readonly sender: string;
  readonly origin: MailOrigin;
  /**
   * `forward`: the mail gets a forward's headers and a new envelope sender. `send`: the mail was sent with a credential and
   * gets signed. `bounce`: our own report; if it fails, no other report follows.
   */
  readonly purpose: 'forward' | 'send' | 'bounce';
  readonly deliveries: readonly MailDelivery[];
  /** The trail of a mail that an address of the account forwarded here. */
  readonly trail?: Trail | undefined;
}

/** The route of a message within the account. */
export interface Trail {
  /** Id of the mail that came in. */
  readonly message: string;
  /** Addresses that forwarded it, in lower case. */
  readonly through: readonly string[];
}

/** One destination of a mail. */
export interface MailDelivery {
  /** The mail's id, a hyphen and a number. It is also the id of the message in a mailbox, so that nothing arrives twice. */
  readonly id: string;
  /** The account's address that the mail was sent to. For mail sent with a credential it is the destination. */
  readonly recipient: string;
  /** Domain of the account whose log and keys are used. null for a bounce. */
  readonly domain: string | null;
  /** An address or a URL. */
  readonly destination: string;
  /** The log entry as it was created. null means that there is none. */
  readonly log: (NewLog & { readonly id: string }) | null;
}

/** The result of one attempt. `server` is the server that answered; null means the mail host of the destination. */
export type DeliveryResult = SmtpReply & {
  readonly kind: 'delivered' | 'soft' | 'hard';
  readonly server: string | null;
};

/** Splits an address into `local` and `domain`, the domain in lower case. Returns null if it is not an address. */
export function splitAddress(address: string): { readonly local: string; readonly domain: string } | null {
  const at = address.lastIndexOf('@');
  if (at < 1 || at === address.length - 1) return null;
  return { local: address.slice(0, at), domain: address.slice(at + 1).toLowerCase() };
}

const DOT_STRING =
  /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;

/** Quotes a local part if an address requires it. */
export function quoteLocal(text: string): string {
  return DOT_STRING.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Removes the quotes that `quoteLocal` adds. */
export function unquoteLocal(local: string): string {
  return local.startsWith('"') ? local.slice(1, -1).replaceAll(/\\(.)/g, '$1') : local;
}
