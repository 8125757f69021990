import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { domainPartOf } from '../../core/model/names.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import type { MailTarget } from './mail-address.ts';

export interface PlainMail {
  /** Identifies the mail, so that one that is sent twice may be shown once. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly subject: string;
  readonly text: string;
}

const TIMEOUT_MS = 20_000;

/**
 * Sends one mail. It is sent if the server took it for any recipient; the value then says whom it refused. No reason holds
 * a secret. Never rejects.
 */
export async function sendMail(
  target: MailTarget,
  { id, at, subject, text }: PlainMail,
): Promise<Result<string | null, string>> {
  const { host, port, tls, login, from, to } = target;
  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    // On this machine mail may go without TLS, so a certificate that is not signed is good enough.
    tls: tls === 'optional' ? { rejectUnauthorized: false } : {},
    ...(login === null ? {} : { auth: login }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { rejected } = await transport.sendMail({
      from,
      to: [...to],
      subject,
      text,
      date: new Date(at),
      messageId: `<${createHash('sha256').update(id).digest('hex').slice(0, 32)}@${domainPartOf(from)}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    const refused = `the mail server refused ${rejected.length} of ${to.length} recipients`;
    return succeed(rejected.length === 0 ? null : refused);
  } catch (error) {
    return fail(faultOf(error as SmtpError));
  } finally {
    transport.close();
  }
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

const FAULTS: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused user and password',
  ETLS: 'the mail server offers no valid TLS, so nothing was sent',
  EENVELOPE: 'the mail server refused the sender or all recipients',
  EMESSAGE: 'the mail server refused the message',
};

/** Says why a mail was not sent. What the server wrote may hold the user's name, so only its code is passed on. */
function faultOf({ code = '', responseCode }: SmtpError): string {
  const what = FAULTS[code] ?? 'the mail server cannot be reached';
  const detail = responseCode ?? (FAULTS[code] === undefined && /^[A-Z\d_]{1,60}$/.test(code) ? code : null);
  return detail === null ? what : `${what} (${detail})`;
}
