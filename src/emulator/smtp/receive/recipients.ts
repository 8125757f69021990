import { domainToASCII } from 'node:url';
import type { State } from '../../account/state.ts';
import { routeMessage } from '../../delivery/delivery.ts';
import { insertLog } from '../../logs/logs.ts';
import { isRewritten, reverseSender } from '../forward/srs.ts';
import { smtpReply, splitAddress, type Logged, type SmtpReply } from '../mail.ts';

export type RecipientVerdict =
  | { readonly kind: 'routed'; readonly recipient: string }
  /** A bounce that returns to a rewritten sender. */
  | { readonly kind: 'returned'; readonly recipient: string; readonly to: string }
  | { readonly kind: 'refused'; readonly reply: SmtpReply };

/** Returns the address with its domain in ASCII, the form that the account uses. */
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

/**
 * Decides if mail to an address is accepted. The message's content affects only its route, never this decision. Refusals are
 * logged.
 */
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

/** Returns why the account accepts no mail at all, or null if it does. */
export function closedReply({ account }: State): SmtpReply | null {
  if (account.locked === true) {
    return smtpReply(452, `the account is locked: ${account.lock_reason ?? 'no reason is given'}`);
  }
  return account.over_quota ? smtpReply(452, 'the account is over its quota') : null;
}

function refused(code: 550 | 553, text: string): RecipientVerdict {
  return { kind: 'refused', reply: smtpReply(code, text) };
}
