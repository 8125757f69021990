import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import type { SMTPServer, SMTPServerAddress, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { State } from '../../account/state.ts';
import { MAIL_HOST } from '../../logs/logs-events.ts';
import { smtpReply, type Logged, type MailOrigin, type SmtpReply } from '../mail.ts';
import type { Acceptance, AcceptedRecipient, IncomingMail } from './accept.ts';
import type { Certificate } from './certificate.ts';
import { collectData, type ReceivingRoom } from './data.ts';
import { MAIL_PARAMETERS, MailServer, protocolOf, RCPT_PARAMETERS, refuseCommand } from './envelope.ts';
import { judgeRecipient, normalAddress } from './recipients.ts';

export interface ReceptionParts {
  readonly state: () => State;
  readonly srsKey: string;
  readonly certificate: Certificate;
  readonly maximumBytes: number;
  readonly room: ReceivingRoom;
  readonly accept: (mail: IncomingMail) => Promise<Acceptance>;
  readonly logged: Logged;
  /** Called after a refused recipient, which is logged. */
  readonly changed: () => void;
}

export interface SmtpListener {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  close(): Promise<void>;
}

/** Returns the options of both servers: limits of the service, and no DNS lookups. */
export function commonOptions({
  certificate,
  maximumBytes,
}: Pick<ReceptionParts, 'certificate' | 'maximumBytes'>): SMTPServerOptions {
  return {
    ...certificate,
    name: MAIL_HOST,
    banner: 'fwdsync emulator',
    size: maximumBytes,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    logger: false,
    maxClients: 100,
    closeTimeout: 100,
  };
}

/** Starts the mail server for the account's domains. */
export function listenForMail(parts: ReceptionParts, port: number): Promise<SmtpListener> {
  const accepted = new WeakMap<SMTPServerSession, Map<string, AcceptedRecipient>>();
  const server = new MailServer({
    ...commonOptions(parts),
    disabledCommands: ['AUTH'],
    // Only loopback can connect, so a test may state the client that a mail comes from.
    useXClient: true,
    onMailFrom(sender, session, done) {
      accepted.set(session, new Map());
      const refused = refuseCommand(sender, sender, MAIL_PARAMETERS);
      done(refused === null ? null : smtpError(refused));
    },
    onRcptTo(to, session, done) {
      const refused = refuseRecipient(to, session);
      if (refused !== null) return done(smtpError(refused));
      const { address } = to;
      const sender = senderOf(session);
      const { srsKey, logged } = parts;
      const verdict = judgeRecipient(parts.state(), {
        recipient: recipientOf(parts.state(), address),
        sender,
        srsKey,
        logged,
      });
      if (verdict.kind === 'refused') {
        parts.changed();
        done(smtpError(verdict.reply));
        return;
      }
      accepted.get(session)?.set(address.toLowerCase(), verdict);
      done();
    },
    onData(stream, session, done) {
      const recipients = [...(accepted.get(session)?.values() ?? [])];
      void takeData(parts, { stream, session, recipients }).then((acceptance) =>
        answerData(acceptance, done),
      );
    },
  });
  return listen(server, port);
}

/** Returns the recipient. `postmaster` without a domain belongs to the first domain (RFC 5321, 4.1.1.3). */
function recipientOf({ domains }: State, address: string): string {
  const [first] = domains.values();
  if (address.toLowerCase() !== 'postmaster' || first === undefined) return normalAddress(address);
  return `postmaster@${first.name}`;
}

async function takeData(
  { accept, maximumBytes, room }: ReceptionParts,
  {
    stream,
    session,
    recipients,
  }: {
    readonly stream: Readable;
    readonly session: SMTPServerSession;
    readonly recipients: readonly AcceptedRecipient[];
  },
): Promise<Acceptance> {
  const [sender, origin] = [senderOf(session), originOf(session)];
  try {
    const data = await collectData(stream, maximumBytes, room);
    if (data.kind !== 'whole') return { kind: 'refused', reply: dataReply(data.kind, maximumBytes) };
    return await accept({ raw: data.raw, sender, origin, recipients });
  } catch {
    return { kind: 'refused', reply: smtpReply(451, 'the message could not be stored, try again') };
  }
}

/** Sends the reply to a complete message. */
export function answerData(
  { kind, reply }: Acceptance,
  done: (error?: Error | null, message?: string) => void,
): void {
  if (kind === 'refused') done(smtpError(reply));
  else done(null, replyText(reply));
}

/** Listens on loopback only. Rejects if the port is not available. */
export async function listen(server: SMTPServer, port: number): Promise<SmtpListener> {
  // An error on one connection ends only that connection.
  const failed = once(server, 'error').then(([error]) => {
    throw error;
  });
  server.listen(port, '127.0.0.1');
  await Promise.race([once(server.server, 'listening'), failed]);
  failed.catch(() => undefined);
  server.on('error', () => undefined);
  return {
    address: `127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Returns the reply to data that was discarded. */
export function dataReply(kind: 'too-large' | 'no-room', maximumBytes: number): SmtpReply {
  return kind === 'too-large'
    ? smtpReply(552, `the message is larger than ${maximumBytes} bytes`)
    : smtpReply(452, 'too much mail at once, try again');
}

export function originOf(session: SMTPServerSession): MailOrigin {
  return {
    ip: session.remoteAddress.replace(/^::ffff:/i, ''),
    helo: session.hostNameAppearsAs,
    protocol: protocolOf(session),
  };
}

/** Returns why RCPT is refused for its parameters or characters, or null if it is not. */
export function refuseRecipient(to: SMTPServerAddress, { envelope }: SMTPServerSession): SmtpReply | null {
  const { mailFrom } = envelope;
  return refuseCommand(to, mailFrom === false ? { args: false } : mailFrom, RCPT_PARAMETERS);
}

export function senderOf({ envelope }: SMTPServerSession): string {
  return envelope.mailFrom === false ? '' : normalAddress(envelope.mailFrom.address);
}

/** Returns the error for the library, which adds the enhanced code itself. */
export function smtpError(reply: SmtpReply): Error {
  return Object.assign(new Error(replyText(reply)), { responseCode: reply.code });
}

export function replyText({ message }: SmtpReply): string {
  return message.replace(/^\d\.\d{1,3}\.\d{1,3} /, '');
}
