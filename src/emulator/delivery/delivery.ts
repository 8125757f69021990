import { routeMail, type MailRoute } from './delivery-routing.ts';
import { eventsOf, MAIL_HOST } from '../logs/logs-events.ts';
import { insertLog, type NewLog } from '../logs/logs.ts';
import { ok, type Checked } from '../account/checked.ts';
import { findDomain } from '../account/resources/stored-domains.ts';
import type { MailLog, MailStatus, Mailbox } from '../account/model.ts';
import type { DomainRecord, State } from '../account/state.ts';

/** An incoming mail. Addresses may carry a name: `Ana <ana@corp.example>`. */
export interface Message {
  readonly to: string;
  readonly from: string | Mailbox;
  readonly subject?: string | undefined;
  readonly body?: string | undefined;
  /** Outcome at each destination: the status after QUEUED, or all statuses. The default is DELIVERED. */
  readonly outcome?: MailOutcome | undefined;
  /** Outcome at single destinations. */
  readonly outcomes?: Readonly<Record<string, MailOutcome>> | undefined;
}

export type MailOutcome = MailStatus | readonly MailStatus[];

export interface DeliveredMessage {
  readonly domain: DomainRecord;
  readonly route: MailRoute;
  /** Addresses and webhooks; empty if the mail is refused or discarded. No webhook is called. */
  readonly destinations: readonly string[];
  readonly logs: readonly MailLog[];
}

/** A mail's route, and the log entries that it will leave. */
export interface RoutedMessage extends Omit<DeliveredMessage, 'logs'> {
  readonly entries: readonly NewLog[];
}

/** Routes a mail and logs it. Fails if the domain of `to` does not exist. */
export function deliverMessage(state: State, message: Message): Checked<DeliveredMessage> {
  const routed = routeMessage(state, message);
  if (!routed.ok) return routed;
  const { entries, ...rest } = routed.value;
  return ok({ ...rest, logs: entries.map((entry) => insertLog(state, rest.domain, entry)) });
}

/** Routes a mail and changes nothing. Fails if the domain of `to` does not exist. */
export function routeMessage(state: State, message: Message): Checked<RoutedMessage> {
  const recipient = readMailbox(message.to);
  const found = findDomain(state, recipient.email.slice(recipient.email.lastIndexOf('@') + 1));
  if (!found.ok) return found;
  const domain = found.value;
  const sender = typeof message.from === 'string' ? readMailbox(message.from) : message.from;
  const { subject = '', body = '' } = message;
  const texts = { sender: sender.email, recipient: recipient.email, subject, body };
  const route = routeMail(state, domain, texts);
  const destinations = route.kind === 'refused' ? [] : destinationsOf(route.forward);
  const mail = {
    created_at: state.environment.now(),
    sender,
    recipient,
    subject,
    alias: aliasOf(route),
    message_id: state.environment.randomId().replaceAll('-', ''),
    hostname: MAIL_HOST,
    transport: 'mx' as const,
  };
  const entries = courses(state, message, route, destinations).map(({ forward, statuses }) => ({
    ...mail,
    forward,
    events: eventsOf(statuses),
  }));
  return ok({ domain, route, destinations, entries });
}

interface Course {
  readonly forward: Mailbox | null;
  readonly statuses: readonly MailStatus[];
}

/** Returns one course for each log entry of the mail. */
function courses(
  { switches }: State,
  message: Message,
  route: MailRoute,
  destinations: readonly string[],
): readonly Course[] {
  if (route.kind === 'refused') return [{ forward: null, statuses: ['REFUSED'] }];
  if (destinations.length === 0) {
    const statuses = DISCARDED[switches.discardedMail];
    return statuses === null ? [] : [{ forward: null, statuses }];
  }
  const outcomes = new Map(Object.entries(message.outcomes ?? {}));
  const logged = switches.logsPer === 'message' ? destinations.slice(0, 1) : destinations;
  return logged.map((destination) => ({
    forward: { email: destination, name: null },
    statuses: statusesOf(outcomes.get(destination) ?? message.outcome ?? 'DELIVERED'),
  }));
}

const DISCARDED = { queued: ['QUEUED'], delivered: ['QUEUED', 'DELIVERED'], unlogged: null } as const;

function statusesOf(outcome: MailOutcome): readonly MailStatus[] {
  if (typeof outcome !== 'string') return outcome;
  return outcome === 'QUEUED' || outcome === 'REFUSED' ? [outcome] : ['QUEUED', outcome];
}

/** Returns the destinations of a forward. The word `null` accepts the mail and delivers it nowhere. */
function destinationsOf(forward: string): readonly string[] {
  const entries = forward.split(',').map((entry) => entry.trim());
  return [...new Set(entries)].filter((entry) => entry !== '' && entry !== 'null');
}

function aliasOf(route: MailRoute): string | undefined {
  if (route.kind === 'alias') return route.alias.alias;
  return route.kind === 'rule' && route.rule.config.type === 'alias' ? route.rule.config.alias : undefined;
}

function readMailbox(text: string): Mailbox {
  const [, name = '', email = text] = /^([^<]*)<([^<>]+)>\s*$/.exec(text) ?? [];
  return { email: email.trim(), name: name.trim() === '' ? null : name.trim() };
}
