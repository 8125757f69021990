import { Buffer } from 'node:buffer';
import { MAIL_HOST } from '../../logs/logs-events.ts';
import { headerFields, headerLength, headerLine, headerValue, mailDate } from '../headers.ts';
import type { MailDelivery, QueuedMail, SmtpReply } from '../mail.ts';

/**
 * Composes a report to the sender that a mail was not delivered (RFC 3464). Returns null if no report may be sent (RFC 3834,
 * RFC 5321).
 */
export function composeBounce(
  { mail, delivery, raw, reply }: FailedDelivery,
  { id, now }: { readonly id: string; readonly now: number },
): { readonly mail: QueuedMail; readonly raw: Buffer } | null {
  if (mail.sender === '' || mail.purpose === 'bounce' || isAutomatic(raw)) return null;
  const bounce: QueuedMail = {
    id,
    receivedAt: now,
    sender: '',
    origin: mail.origin,
    purpose: 'bounce',
    deliveries: [
      { id: `${id}-0`, recipient: mail.sender, domain: null, destination: mail.sender, log: null },
    ],
  };
  return { mail: bounce, raw: report({ mail, delivery, raw, reply }, { id, now }) };
}

interface FailedDelivery {
  readonly mail: QueuedMail;
  readonly delivery: MailDelivery;
  readonly raw: Buffer;
  readonly reply: SmtpReply;
}

/** True if a program or a mailing list sent the mail. No person reads the reply, or a program would answer it again. */
function isAutomatic(raw: Buffer): boolean {
  const fields = headerFields(raw);
  const submitted = headerValue(fields, 'auto-submitted')?.toLowerCase() ?? 'no';
  const precedence = headerValue(fields, 'precedence')?.toLowerCase() ?? '';
  return (
    !submitted.startsWith('no') ||
    ['bulk', 'junk', 'list', 'auto_reply'].includes(precedence) ||
    fields.some(({ name }) => name.startsWith('list-') || name === 'x-auto-response-suppress') ||
    headerValue(fields, 'return-path') === '<>'
  );
}

/**
 * Builds the report. The sender wrote to an address of the account; the report does not reveal where that address forwards
 * to.
 */
function report(
  { mail, delivery, raw, reply }: FailedDelivery,
  { id, now }: { readonly id: string; readonly now: number },
): Buffer {
  const boundary = `=_${id}`;
  const { destination, recipient } = delivery;
  const text = `${reply.code} ${reply.message}`.replaceAll(destination, recipient);
  const [status = reply.code >= 500 ? '5.0.0' : '4.0.0'] =
    /[245]\.\d{1,3}\.\d{1,3}/.exec(reply.message) ?? [];
  const head =
    headerLine('From', `Mail Delivery System <mailer-daemon@${MAIL_HOST}>`) +
    headerLine('To', `<${mail.sender}>`) +
    headerLine('Subject', 'Undelivered Mail Returned to Sender') +
    headerLine('Date', mailDate(now)) +
    headerLine('Message-ID', `<${id}@${MAIL_HOST}>`) +
    headerLine('Auto-Submitted', 'auto-replied') +
    headerLine('MIME-Version', '1.0') +
    headerLine('Content-Type', `multipart/report; report-type=delivery-status; boundary="${boundary}"`);
  const notice =
    `Your message to ${recipient} could not be delivered.\r\n\r\n` +
    `The answer of the mail server was:\r\n\r\n  ${text}\r\n`;
  const machine =
    headerLine('Reporting-MTA', `dns; ${MAIL_HOST}`) +
    headerLine('Arrival-Date', mailDate(mail.receivedAt)) +
    '\r\n' +
    headerLine('Final-Recipient', `rfc822; ${recipient}`) +
    headerLine('Action', 'failed') +
    headerLine('Status', status.replace(/^[24]/, '5')) +
    headerLine('Diagnostic-Code', `smtp; ${text}`);
  return Buffer.concat([
    Buffer.from(
      `${head}\r\n--${boundary}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${notice}\r\n` +
        `--${boundary}\r\nContent-Type: message/delivery-status\r\n\r\n${machine}\r\n` +
        `--${boundary}\r\nContent-Type: text/rfc822-headers\r\n\r\n`,
    ),
    raw.subarray(0, headerLength(raw)),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}
