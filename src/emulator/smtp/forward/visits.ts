import { smtpReply, type Trail } from '../mail.ts';
import type { Acceptance, IncomingMail } from '../receive/accept.ts';

/** Remembers the addresses of the account that a message reached, so that it reaches each of them once. */
export interface Visits {
  /** Returns how a message ends at an address that it has reached before, or null if it goes on. */
  judge(mail: IncomingMail): Acceptance | null;
  /** Saves the recipients of an accepted message. */
  note(mail: IncomingMail, acceptance: Acceptance): void;
}

/** Number of messages to remember. Older ones are forgotten. */
const MOST_MESSAGES = 10_000;
/** Maximum number of addresses that one message may reach. A pattern may produce a new address each time. */
const MOST_VISITS = 1000;

export function createVisits(): Visits {
  const byMessage = new Map<string, Set<string>>();
  return {
    judge({ trail, recipients }) {
      if (trail === undefined) return null;
      const addresses = recipients.map(({ recipient }) => recipient.toLowerCase());
      const again = addresses.find((address) => trail.through.includes(address));
      if (again !== undefined) {
        const text = `${again} forwards this message back to itself, this is a loop`;
        return { kind: 'refused', reply: smtpReply(554, text) };
      }
      const visited = byMessage.get(trail.message);
      if (visited === undefined) return null;
      if (addresses.every((address) => visited.has(address))) {
        return {
          kind: 'accepted',
          id: trail.message,
          reply: smtpReply(250, 'Ok: this address already has the message'),
        };
      }
      if (visited.size < MOST_VISITS) return null;
      const text = `this message reached ${MOST_VISITS} addresses here, this looks like a loop`;
      return { kind: 'refused', reply: smtpReply(554, text) };
    },
    note({ trail, recipients }, acceptance) {
      if (acceptance.kind === 'refused') return;
      const message = trail?.message ?? acceptance.id;
      const visited = byMessage.get(message) ?? new Set();
      for (const { recipient } of recipients) visited.add(recipient.toLowerCase());
      byMessage.delete(message);
      byMessage.set(message, visited);
      const [oldest] = byMessage.keys();
      if (byMessage.size > MOST_MESSAGES && oldest !== undefined) byMessage.delete(oldest);
    },
  };
}

/** Returns the trail of a message that is forwarded once more. */
export function extendTrail(
  {
    id,
    trail,
    purpose,
  }: { readonly id: string; readonly trail?: Trail | undefined; readonly purpose: string },
  recipient: string,
): Trail {
  const { message, through } = trail ?? { message: id, through: [] };
  return { message, through: purpose === 'forward' ? [...through, recipient.toLowerCase()] : through };
}
