import { domainToASCII } from 'node:url';
import type { State } from '../../account/state.ts';
import { routeMessage } from '../../delivery/delivery.ts';
import { insertLog } from '../../logs/logs.ts';
import { isRewritten, reverseSender } from '../forward/srs.ts';
import { smtpReply, splitAddress, type Logged, type SmtpReply } from '../mail.ts';

export type RecipientVerdict =
  | { readonly kind: 'routed'; readonly recipient: string }
  /** A bounce that comes back to a rewritten sender. */
  | { readonly kind: 'returned'; readonly recipient: string; readonly to: string }
  | { readonly kind: 'refused'; readonly reply: SmtpReply };

/** The address as the account knows it: the domain in ASCII. */
export function normalAddress(address: string): string {
  const parts = splitAddress(address);
  if (parts === null) return address;
  return `${parts.local}@${domainToASCII(parts.domain) || parts.domain}`;
}

export interface JudgedRecipient {
  readonly recipient: string;
  readonly sender: string;
  readonly srsKey: string;
  readonly logged: Logged;
}

/** Whether mail to an address is taken; what the message says decides later, and never about that. Refusals leave a log. */
export function judgeRecipient(
  state: State,
  { recipient, sender, srsKey, logged }: JudgedRecipient,
): RecipientVerdict {
  const closed = closedReply(state);
  if (closed !== null) return { kind: 'refused', reply: closed };
  const parts = splitAddress(recipient);
  if (parts === null || state.domains.get(parts.domain) === undefined) {
    return refused(550, `mail for ${parts?.domain ?? recipient} is not accepted here: unknown domain`);
  }
  if (!isRewritten(parts.local)) return judgeRoute(state, { recipient, sender, logged });
  const reversed = reverseSender(parts.local, { key: srsKey, now: state.environment.now() });
  return reversed.kind === 'sender'
    ? { kind: 'returned', recipient, to: normalAddress(reversed.address) }
    : refused(553, `${recipient}: ${reversed.reason}`);
}

function judgeRoute(
  state: State,
  { recipient, sender, logged }: Omit<JudgedRecipient, 'srsKey'>,
): RecipientVerdict {
  const routed = routeMessage(state, { to: recipient, from: { email: sender, name: null } });
  if (!routed.ok || routed.value.route.kind !== 'refused') return { kind: 'routed', recipient };
  const { domain, route, entries } = routed.value;
  const reply = smtpReply(550, `${recipient}: ${route.reason}`);
  for (const entry of entries) {
    const events = entry.events.map((event) => ({ ...event, ...reply }));
    logged(domain, insertLog(state, domain, { ...entry, events }));
  }
  return { kind: 'refused', reply };
}

/** Why no mail at all is accepted; null: it is. */
export function closedReply({ account }: State): SmtpReply | null {
  if (account.locked === true) {
    return smtpReply(452, `the account is locked: ${account.lock_reason ?? 'no reason is given'}`);
  }
  return account.over_quota ? smtpReply(452, 'the account is over its quota') : null;
}

function refused(code: 550 | 553, text: string): RecipientVerdict {
  return { kind: 'refused', reply: smtpReply(code, text) };
}
