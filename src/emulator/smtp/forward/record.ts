import type { MailEvent } from '../../account/model.ts';
import type { State } from '../../account/state.ts';
import { MAIL_HOST } from '../../logs/logs-events.ts';
import { addLogEvent, insertLog } from '../../logs/logs.ts';
import type { Logged, MailDelivery, QueuedMail } from '../mail.ts';
import type { DeliveryOutcome } from './queue.ts';

/**
 * Adds the result of an attempt to the log of a delivery. An entry that was lost because it was not saved in time is
 * inserted again.
 */
export function recordOutcome(
  state: State,
  { receivedAt }: QueuedMail,
  { domain: name, log }: MailDelivery,
  { outcome, logged }: { readonly outcome: DeliveryOutcome; readonly logged: Logged },
): void {
  const domain = name === null ? undefined : state.domains.get(name);
  if (domain === undefined || log === null) return;
  const entry = domain.logs.get(log.id) ?? insertLog(state, domain, log);
  const { code, message } = outcome.result;
  const common = {
    local: MAIL_HOST,
    server: outcome.result.server,
    after: Math.max(0, state.environment.now() - receivedAt),
  };
  addLogEvent(entry, { ...common, status: STATUS[outcome.kind], code, message });
  logged(domain, entry);
  if (outcome.kind !== 'expired') return;
  addLogEvent(entry, { ...common, ...outcome.reply, status: 'BOUNCED' });
  logged(domain, entry);
}

/** True if the log of a delivery shows how it ended. */
export function isRecordedOver(state: State, { domain, log }: MailDelivery): boolean {
  const entry = log === null ? undefined : state.domains.get(domain ?? '')?.logs.get(log.id);
  return ['DELIVERED', 'HARD-BOUNCE', 'BOUNCED'].includes(entry?.events.at(-1)?.status ?? '');
}

const STATUS: Readonly<Record<DeliveryOutcome['kind'], MailEvent['status']>> = {
  delivered: 'DELIVERED',
  hard: 'HARD-BOUNCE',
  soft: 'SOFT-BOUNCE',
  expired: 'SOFT-BOUNCE',
};
