import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Emulator } from '../../../emulator/http/server.ts';
import type { MailService } from '../../../emulator/smtp/start.ts';
import type { Context } from '../../context.ts';
import { commandFailure, usageError } from '../../exit.ts';
import { MOST_PORT } from '../../declare/options.ts';
import { readOptionFile } from './emulator-files.ts';

export interface MailCommandOptions {
  /** Port of the API. */
  readonly port: number;
  readonly smtp?: number;
  readonly submission?: number;
  readonly relay?: string;
  readonly srsKey?: string;
  readonly webhook?: readonly string[];
  /** Files in PEM format. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

export interface StartedMail {
  /** Addresses for the JSON line. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly journal: MailService['journal'];
  close(): Promise<void>;
}

interface CheckedMailOptions {
  readonly smtpPort: number | undefined;
  readonly submissionPort: number | undefined;
  readonly relay: { readonly host: string; readonly port: number } | undefined;
  readonly srsKey: string | undefined;
  readonly webhooks: readonly string[];
  /** undefined creates a certificate. */
  readonly certificate: PemPair | undefined;
}

interface PemPair {
  readonly cert: string;
  readonly key: string;
}

/** Returns null if the emulator needs no mail. */
export async function readMailOptions(
  context: Context,
  options: MailCommandOptions,
): Promise<CheckedMailOptions | null> {
  const { smtp, submission, relay, srsKey, webhook, tlsCert, tlsKey } = options;
  if (smtp !== undefined || submission !== undefined) {
    return {
      smtpPort: smtp,
      submissionPort: submission,
      relay: relay === undefined ? undefined : readRelay(relay),
      srsKey,
      webhooks: (webhook ?? []).map((origin) => readOrigin(origin, options)),
      certificate: await readCertificate(context, options),
    };
  }
  for (const [name, value] of Object.entries({
    '--relay': relay,
    '--srs-key': srsKey,
    '--webhook': webhook,
    '--tls-cert': tlsCert,
    '--tls-key': tlsKey,
  })) {
    if (value !== undefined) {
      throw usageError(`${name} needs --smtp or --submission`, 'add --smtp PORT, or leave it out');
    }
  }
  return null;
}

/**
 * Loads the modules for mail, which nothing else needs, and starts mail. With a state file, mail is kept in a
 * directory beside it.
 */
export async function startMailFor(
  context: Context,
  emulator: Emulator,
  options: CheckedMailOptions,
  stateFile: string | null,
): Promise<StartedMail> {
  const { startMail } = await import('../../../emulator/smtp/start.ts');
  try {
    const mail = await startMail(emulator, {
      ...options,
      directory: stateFile === null ? undefined : `${stateFile}.d`,
      sleep: (milliseconds, signal) => context.clock.sleep(milliseconds, signal),
      randomId: () => randomUUID(),
    });
    return {
      addresses: {
        ...(mail.smtp === null ? {} : { smtp: mail.smtp }),
        ...(mail.submission === null ? {} : { submission: mail.submission }),
      },
      journal: mail.journal,
      close: () => mail.close(),
    };
  } catch (error) {
    await emulator.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw commandFailure(
      `the emulator cannot receive mail: ${reason}`,
      'give other ports with --smtp and --submission',
    );
  }
}

async function readCertificate(
  { cwd }: Context,
  { tlsCert, tlsKey }: MailCommandOptions,
): Promise<PemPair | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw usageError(
      '--tls-cert and --tls-key belong together',
      'give both, or none to create a certificate',
    );
  }
  const cert = await readOptionFile(resolve(cwd, tlsCert), 'tls-cert');
  const key = await readOptionFile(resolve(cwd, tlsKey), 'tls-key');
  try {
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw commandFailure(
      `${tlsCert} and ${tlsKey} cannot be used for TLS: ${reason}`,
      'give a certificate and its key, both as PEM and the key without a password',
    );
  }
}

/** Parses the address of a relay. Mail is never sent to another machine. */
function readRelay(text: string): { readonly host: string; readonly port: number } {
  const [, host = '', digits = ''] = /^(\[::1\]|[\w.-]+):(\d{1,5})$/.exec(text) ?? [];
  const address = LOOPBACK_NAMES[host] ?? host;
  const port = Number(digits);
  const isPort = port > 0 && port <= MOST_PORT;
  if (isPort && (address === '::1' || /^127(\.\d{1,3}){3}$/.test(address))) return { host: address, port };
  throw usageError(
    `--relay ${text} is not a host and port on loopback`,
    'give one such as 127.0.0.1:1025: the emulator sends nothing to other machines',
  );
}

/** Parses an origin. Only literal addresses are allowed, because a name could mean another machine tomorrow. */
function readOrigin(text: string, { port, smtp, submission }: MailCommandOptions): string {
  const [, digits = ''] = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):(\d{1,5})\/?$/.exec(text) ?? [];
  const number = Number(digits);
  const isOwn = [port, smtp, submission].includes(number);
  if (number > 0 && number <= MOST_PORT && !isOwn) return new URL(text).origin;
  throw usageError(
    `--webhook ${text} is not an origin that may be called${isOwn ? ': it is the emulator itself' : ''}`,
    "give one such as http://127.0.0.1:3000, on a port that is not the emulator's",
  );
}

const LOOPBACK_NAMES: Readonly<Record<string, string>> = { localhost: '127.0.0.1', '[::1]': '::1' };
