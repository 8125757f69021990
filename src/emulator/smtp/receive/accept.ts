import type { Buffer } from 'node:buffer';
import type { DomainRecord, State } from '../../account/state.ts';
import { routeMessage, type RoutedMessage } from '../../delivery/delivery.ts';
import { eventsOf } from '../../logs/logs-events.ts';
import { insertLog, type NewLog } from '../../logs/logs.ts';
import { headerFields } from '../headers.ts';
import {
  smtpReply,
  type Logged,
  type MailDelivery,
  type MailOrigin,
  type QueuedMail,
  type SmtpReply,
  type Trail,
} from '../mail.ts';
import { parseMail, type MailTextParts } from './parse.ts';
import type { RecipientVerdict } from './recipients.ts';

/**
 * Maximum number of hops. Neither the field notes nor RFC 5321 state one; the service would take more than 25 for a loop.
 */
const MAX_HOPS = 25;

/** An accepted recipient. */
export type AcceptedRecipient = Exclude<RecipientVerdict, { readonly kind: 'refused' }>;

export interface IncomingMail {
  readonly raw: Buffer;
  readonly sender: string;
  readonly origin: MailOrigin;
  readonly recipients: readonly AcceptedRecipient[];
  /** The trail of a mail that an address of the account forwarded here. */
  readonly trail?: Trail;
}

export type Acceptance =
  | { readonly kind: 'accepted'; readonly id: string; readonly reply: SmtpReply }
  | { readonly kind: 'refused'; readonly reply: SmtpReply };

/** Stores mails and starts their deliveries. */
export interface AcceptingQueue {
  /** Stores a mail. Resolves when it is safe, or to false if there is no room. */
  keep(mail: QueuedMail, raw: Buffer): Promise<boolean>;
  schedule(mail: QueuedMail): void;
  readonly logged: Logged;
}

/** Accepts a mail for the account: routes it for each recipient, stores it and logs it. */
export async function acceptMail(
  state: State,
  queue: AcceptingQueue,
  incoming: IncomingMail,
): Promise<Acceptance> {
  const hops = headerFields(incoming.raw).filter(({ name }) => name === 'received').length;
  if (hops > MAX_HOPS) return refuse(554, `too many hops: ${hops} Received headers, this looks like a loop`);
  const parsed = await parseMail(incoming.raw);
  if (!parsed.ok) return refuse(554, `the message cannot be read: ${parsed.reason}`);
  const id = state.environment.randomId().replaceAll('-', '');
  const reply = smtpReply(250, `Ok: queued as ${id}`);
  const ways: RoutedRecipient[] = [];
  for (const recipient of incoming.recipients) {
    const way = routeRecipient(state, recipient, incoming, parsed.parts);
    // The recipient was accepted earlier, but the account has changed since.
    if (way === null) return refuse(451, 'the account has just changed, try again');
    const from = ways.flatMap(({ logs }) => logs).length;
    ways.push({ recipient: recipient.recipient, ...way, logs: numberLogs(way, { id, from, reply }) });
  }
  const mail: QueuedMail = {
    id,
    receivedAt: state.environment.now(),
    sender: incoming.sender,
    origin: incoming.origin,
    purpose: 'forward',
    deliveries: deliveriesOf(id, ways),
    trail: incoming.trail,
  };
  if (mail.deliveries.length > 0 && !(await queue.keep(mail, incoming.raw))) {
    return refuse(452, 'there is no room left for mail');
  }
  for (const { domain, logs } of ways) {
    for (const log of logs) queue.logged(domain, insertLog(state, domain, log));
  }
  if (mail.deliveries.length > 0) queue.schedule(mail);
  return { kind: 'accepted', id, reply };
}

function refuse(code: 451 | 452 | 554, text: string): Acceptance {
  return { kind: 'refused', reply: smtpReply(code, text) };
}

interface RoutedRecipient {
  readonly recipient: string;
  readonly domain: DomainRecord;
  readonly destinations: readonly string[];
  readonly logs: readonly (NewLog & { readonly id: string })[];
}

/** Routes the mail for a recipient. Returns null if it is now refused. */
function routeRecipient(
  state: State,
  accepted: AcceptedRecipient,
  { sender }: IncomingMail,
  { subject, body, from }: MailTextParts,
): RoutedMessage | null {
  const name = from.address.toLowerCase() === sender.toLowerCase() && from.name !== '' ? from.name : null;
  const routed = routeMessage(state, {
    to: accepted.recipient,
    from: { email: sender, name },
    subject,
    body,
    outcome: 'QUEUED',
  });
  if (!routed.ok) return null;
  if (accepted.kind === 'returned') return routeReturned(routed.value, accepted.to);
  return routed.value.route.kind === 'refused' ? null : routed.value;
}

/** Routes a returned bounce to the sender of the mail, independent of aliases. */
function routeReturned(routed: RoutedMessage, to: string): RoutedMessage {
  const entries = routed.entries.slice(0, 1).map((entry) => ({
    ...entry,
    forward: { email: to, name: null },
    alias: undefined,
    events: eventsOf(['QUEUED']),
  }));
  return { ...routed, destinations: [to], entries };
}

function numberLogs(
  { entries }: RoutedMessage,
  { id, from, reply }: { readonly id: string; readonly from: number; readonly reply: SmtpReply },
): RoutedRecipient['logs'] {
  return entries.map((entry, index) => ({
    ...entry,
    id: `${id}${from + index}`,
    message_id: id,
    events: entry.events.map((event) => (event.status === 'QUEUED' ? { ...event, ...reply } : event)),
  }));
}

function deliveriesOf(id: string, ways: readonly RoutedRecipient[]): readonly MailDelivery[] {
  const deliveries: MailDelivery[] = [];
  for (const { recipient, domain, destinations, logs } of ways) {
    for (const destination of destinations) {
      const log = logs.find(({ forward }) => forward?.email === destination) ?? null;
      const number = deliveries.length;
      deliveries.push({ id: `${id}-${number}`, recipient, domain: domain.name, destination, log });
    }
  }
  return deliveries;
}
