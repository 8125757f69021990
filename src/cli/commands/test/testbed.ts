import { randomUUID } from 'node:crypto';
import type { MailLog } from '../../../emulator/account/model.ts';
import { startEmulator, type Emulator } from '../../../emulator/http/server.ts';
import { sendBySmtp, type SmtpHost } from '../../../emulator/smtp/forward/client.ts';
import { startMail, type MailService } from '../../../emulator/smtp/start.ts';
import type { Desired, Expectation, PresentDomain } from '../../../core/model/desired.ts';
import {
  decodeForward,
  DISCARD,
  normaliseDestination,
  type Destination,
} from '../../../core/model/destinations.ts';
import { domainPartOf } from '../../../core/model/names.ts';
import type { Context } from '../../context.ts';
import { seedOf } from '../emulator/emulator-from.ts';
import { composeMail } from './compose-mail.ts';

/** Destinations of a test mail, or why it was not delivered. */
export type Arrival =
  | { readonly kind: 'delivered'; readonly forward: readonly Destination[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** An emulator made from a manifest, and a way to send mail to it. */
export interface Testbed {
  send(domain: PresentDomain, mail: Expectation): Promise<Arrival>;
  close(): Promise<void>;
}

/** Fallback for mail that no rule of a domain matches. The manifest does not state the account's own fallback. */
const UNMATCHED = 'unmatched@reference.invalid';

export async function openTestbed(context: Context, desired: Desired): Promise<Testbed> {
  const seed = seedOf(desired, undefined, 'emulator');
  const shared = {
    sleep: (milliseconds: number, signal?: AbortSignal) => context.clock.sleep(milliseconds, signal),
    randomId: () => randomUUID(),
  };
  const emulator = await startEmulator({
    ...shared,
    apiKey: randomUUID(),
    plan: 'paid',
    now: () => context.clock.now(),
    state: {
      ...seed,
      domains: (seed.domains ?? []).map((domain) => ({ ...domain, rules_fallback_email: UNMATCHED })),
    },
  });
  const mail = await startMail(emulator, { ...shared, smtpPort: 0 });
  return {
    send: (domain, expectation) => sendAsExpected({ emulator, mail }, domain, expectation),
    async close() {
      await mail.close();
      await emulator.close();
    },
  };
}

interface Bench {
  readonly emulator: Emulator;
  readonly mail: MailService;
}

/**
 * Sends a mail. The account's engine is not known offline, so rules come first, and mail that no rule matches goes to
 * the aliases.
 */
async function sendAsExpected(
  bench: Bench,
  { domain, aliases }: PresentDomain,
  mail: Expectation,
): Promise<Arrival> {
  const record = bench.emulator.store.state.domains.get(domain);
  if (record === undefined) return { kind: 'refused', reason: 'the domain does not exist' };
  const hasRules = [...record.rules.values()].some(({ active }) => active);
  if (hasRules) {
    record.fields.routing_engine = 'rules';
    const arrival = await send(bench, mail);
    const isMatched =
      arrival.kind === 'refused' || !arrival.forward.includes(normaliseDestination(UNMATCHED));
    if (isMatched) return arrival;
    if (aliases === undefined) return { kind: 'refused', reason: 'no rule matches it' };
  }
  record.fields.routing_engine = 'alias';
  return send(bench, mail);
}

async function send({ emulator, mail }: Bench, expectation: Expectation): Promise<Arrival> {
  const [host = '', port = ''] = (mail.smtp ?? '').split(':');
  const { from: sender, to: recipient } = expectation;
  const server: SmtpHost = { host, port: Number(port) };
  const { kind, code, message } = await sendBySmtp(server, 'test.invalid', {
    sender,
    recipient,
    raw: composeMail(expectation),
  });
  if (kind !== 'delivered') return { kind: 'refused', reason: `${code} ${message}` };
  await mail.queue.idle();
  const id = message.split(' ').at(-1) ?? '';
  const logs = emulator.store.state.domains.get(domainPartOf(recipient))?.logs.values() ?? [];
  return arrivalOf([...logs].filter(({ message_id }) => message_id === id));
}

/** Returns the result from the log entries of a mail, one for each destination. */
function arrivalOf(entries: readonly MailLog[]): Arrival {
  const sent = entries.filter(({ forward }) => forward !== null);
  const failed = sent.map(({ events }) => events.at(-1)).find((event) => event?.status !== 'DELIVERED');
  if (failed !== undefined) return { kind: 'refused', reason: `${failed.code} ${failed.message}` };
  const forward = sent.flatMap((entry) => decodeForward(entry.forward?.email ?? ''));
  return { kind: 'delivered', forward: forward.length === 0 ? [DISCARD] : forward };
}
