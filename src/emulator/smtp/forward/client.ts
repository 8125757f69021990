import type { Buffer } from 'node:buffer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { DeliveryResult } from '../mail.ts';

/** A mail server on loopback. */
export interface SmtpHost {
  readonly host: string;
  readonly port: number;
}

export interface SentMail {
  /** The envelope sender. Empty means the null sender. */
  readonly sender: string;
  readonly recipient: string;
  readonly raw: Buffer;
  /** Credentials. They require TLS; the certificate is not checked on loopback. */
  readonly credentials?: { readonly user: string; readonly pass: string } | undefined;
}

const TIMEOUT = 30_000;

/** Sends one mail over one connection and returns the result. Does not reject. */
export async function sendBySmtp(
  { host, port }: SmtpHost,
  name: string,
  mail: SentMail,
): Promise<DeliveryResult> {
  const server = `${host}:${port}`;
  const connection = new SMTPConnection({
    host,
    port,
    name,
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: TIMEOUT,
    requireTLS: mail.credentials !== undefined,
    ignoreTLS: mail.credentials === undefined,
    tls: { rejectUnauthorized: false },
  });
  try {
    const response = await converse(connection, mail);
    connection.quit();
    return { kind: 'delivered', ...splitResponse(response, 250), server };
  } catch (error) {
    connection.close();
    return failureOf(error as Error & { readonly responseCode?: number; readonly response?: string }, server);
  }
}

function converse(
  connection: SMTPConnection,
  { sender, recipient, raw, credentials }: SentMail,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    connection.on('error', reject);
    connection.on('end', () => reject(new Error('the connection was closed')));
    const send = (): void => {
      const envelope = { from: sender === '' ? false : sender, to: recipient, size: raw.length } as const;
      connection.send({ ...envelope, use8BitMime: true }, raw, (error, info) => {
        if (error) reject(error);
        else resolve(info?.response);
      });
    };
    connection.connect((error) => {
      if (error) reject(error);
      else if (credentials === undefined) send();
      else connection.login({ credentials }, (failure) => (failure ? reject(failure) : send()));
    });
  });
}

function failureOf(
  error: Error & { readonly responseCode?: number; readonly response?: string },
  server: string,
): DeliveryResult {
  const { responseCode, response } = error;
  if (responseCode === undefined) {
    return { kind: 'soft', code: 421, message: `4.4.2 ${error.message}`, server };
  }
  const kind = responseCode >= 500 ? 'hard' : 'soft';
  return { kind, ...splitResponse(response, responseCode), server };
}

/** Splits `250 2.0.0 Ok` into code and text. */
function splitResponse(
  response: string | undefined,
  code: number,
): { readonly code: number; readonly message: string } {
  const [, stated = String(code), text = ''] = /^(\d{3})[ -](.*)$/s.exec(response ?? '') ?? [];
  return { code: Number(stated), message: text.replaceAll(/\s+/g, ' ').slice(0, 500) };
}
