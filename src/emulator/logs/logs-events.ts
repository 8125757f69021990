import type { MailEvent, MailStatus, MailTransport } from '../account/model.ts';

export const MAIL_HOST = 'mx1.improvmx.com';

export const LOG_STATUSES: readonly MailStatus[] = [
  'QUEUED',
  'DELIVERED',
  'SOFT-BOUNCE',
  'HARD-BOUNCE',
  'BOUNCED',
  'REFUSED',
];

export const LOG_TRANSPORTS: readonly MailTransport[] = ['mx', 'smtp', 'api'];

const REPLIES: Readonly<Record<MailStatus, { readonly code: number; readonly message: string }>> = {
  QUEUED: { code: 250, message: '2.0.0 Ok: queued' },
  DELIVERED: { code: 250, message: '2.0.0 Ok' },
  'SOFT-BOUNCE': { code: 451, message: '4.3.0 Temporary failure, try again later' },
  'HARD-BOUNCE': { code: 550, message: '5.1.1 No such user here' },
  BOUNCED: { code: 554, message: '5.0.0 Delivery failed' },
  REFUSED: { code: 550, message: '5.1.1 No such recipient' },
};

const SECOND = 1000;
const known = new Map<string, readonly MailEvent[]>();

/**
 * Returns the events of a mail that had these statuses, one second apart. Entries with the same course share their events.
 */
export function eventsOf(statuses: readonly MailStatus[]): readonly MailEvent[] {
  const key = statuses.join();
  const events = known.get(key) ?? statuses.map(createEvent);
  if (known.size < 1000) known.set(key, events);
  return events;
}

function createEvent(status: MailStatus, position: number): MailEvent {
  const isOurs = status === 'QUEUED' || status === 'REFUSED';
  return {
    status,
    ...REPLIES[status],
    local: MAIL_HOST,
    server: isOurs ? MAIL_HOST : null,
    after: position * SECOND,
  };
}
