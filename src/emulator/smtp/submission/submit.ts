import type { Buffer } from 'node:buffer';
import type { Credential, Mailbox } from '../../account/model.ts';
import type { DomainRecord, State } from '../../account/state.ts';
import { eventsOf, MAIL_HOST } from '../../logs/logs-events.ts';
import { insertLog, type NewLog } from '../../logs/logs.ts';
import { headerFields, headerLine, mailDate, withHeader } from '../headers.ts';
import { smtpReply, type MailOrigin, type QueuedMail, type SmtpReply } from '../mail.ts';
import type { Acceptance, AcceptingQueue } from '../receive/accept.ts';
import { parseMail } from '../receive/parse.ts';

/** A signed-in credential. */
export interface Submitter {
  readonly domain: DomainRecord;
  readonly credential: Credential;
  /** The credential's own address. */
  readonly address: string;
}

/** A mail sent with a credential. */
export interface SubmittedMail {
  readonly raw: Buffer;
  readonly sender: string;
  readonly origin: MailOrigin;
  readonly recipients: readonly string[];
  readonly submitter: Submitter;
}

export interface SubmitParts {
  readonly state: State;
  readonly queue: AcceptingQueue;
  /** Returns why the credential may not send with this `From`, or null if it may. */
  readonly refuseFrom: (address: string) => SmtpReply | null;
}

/** Accepts a mail to send, and logs it for each recipient. */
export async function submitMail(
  { state, queue, refuseFrom }: SubmitParts,
  { raw: written, sender, origin, recipients, submitter }: SubmittedMail,
): Promise<Acceptance> {
  const parsed = await parseMail(written);
  if (!parsed.ok) {
    return { kind: 'refused', reply: smtpReply(554, `the message cannot be read: ${parsed.reason}`) };
  }
  const { subject, from } = parsed.parts;
  const refused = refuseFrom(from.address);
  if (refused !== null) return { kind: 'refused', reply: refused };
  const { domain, credential } = submitter;
  const id = state.environment.randomId().replaceAll('-', '');
  const receivedAt = state.environment.now();
  const reply = smtpReply(250, `Ok: queued as ${id}`);
  const name = from.address.toLowerCase() === sender.toLowerCase() && from.name !== '' ? from.name : null;
  const person = { email: sender, name };
  const logs = logsOf({ id, receivedAt, reply, subject, person, recipients, alias: credential.username });
  const mail: QueuedMail = {
    id,
    receivedAt,
    sender,
    origin,
    purpose: 'send',
    deliveries: logs.map((log, number) => {
      const { email } = log.recipient;
      return { id: `${id}-${number}`, recipient: email, domain: domain.name, destination: email, log };
    }),
  };
  const raw = withHeader(missingFields(written, { id, receivedAt, domain: domain.name }), written);
  if (!(await queue.keep(mail, raw))) {
    return { kind: 'refused', reply: smtpReply(452, 'there is no room left for mail') };
  }
  credential.usage += 1;
  for (const log of logs) queue.logged(domain, insertLog(state, domain, log));
  queue.schedule(mail);
  return { kind: 'accepted', id, reply };
}

interface SentLogs {
  readonly id: string;
  readonly receivedAt: number;
  readonly reply: SmtpReply;
  readonly subject: string;
  readonly person: Mailbox;
  readonly recipients: readonly string[];
  readonly alias: string;
}

/** Returns one log entry per recipient. The entries belong to the log of the credential's name. */
function logsOf(sent: SentLogs): readonly (NewLog & { readonly id: string })[] {
  return sent.recipients.map((recipient, number) => ({
    id: `${sent.id}${number}`,
    message_id: sent.id,
    created_at: sent.receivedAt,
    sender: sent.person,
    recipient: { email: recipient, name: null },
    forward: null,
    subject: sent.subject,
    hostname: MAIL_HOST,
    transport: 'smtp',
    alias: sent.alias,
    events: eventsOf(['QUEUED']).map((event) => ({ ...event, ...sent.reply })),
  }));
}

/** Returns the header fields that a mail program may leave to the server (RFC 6409). */
function missingFields(
  raw: Buffer,
  { id, receivedAt, domain }: { readonly id: string; readonly receivedAt: number; readonly domain: string },
): string {
  const names = new Set(headerFields(raw).map(({ name }) => name));
  const date = names.has('date') ? '' : headerLine('Date', mailDate(receivedAt));
  return date + (names.has('message-id') ? '' : headerLine('Message-ID', `<${id}@${domain}>`));
}
