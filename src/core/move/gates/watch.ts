import { plural } from '../../model/names.ts';
import { unread, type GateFinding, type GateInput } from '../gate.ts';
import type { MailFacts, RecipientFacts } from '../observation.ts';
import { holdUntil } from './hold.ts';
import { wayBack } from './way-back.ts';

/** The addresses that had mail before get it through the service. */
export function watchGate(input: GateInput): GateFinding {
  const { seen, memory, earlier } = input;
  const { switchedAt: since } = memory;
  if (since === null || seen.mail === null) return { state: 'waiting', evidence: ['it comes after switch'] };
  if (!seen.mail.ok) return unread(seen.mail.error);
  const facts = seen.mail.value;
  const wanted = new Set(seen.inventory.addresses);
  const lost = facts.recipients.filter((recipient) => wanted.has(recipient.address) && isLost(recipient));
  const evidence = [messageLine(facts), ...lost.map(lostLine), ...otherLines(facts, new Set(lost))];
  if (lost.length > 0) return { state: 'blocked', since, evidence, todo: wayBack(input) };
  const isReceiving = earlier.some(({ gate, state }) => gate === 'receiving' && state === 'done');
  const isLongEnough = facts.messages > 0 || seen.at >= holdUntil(since, memory, seen);
  const isDone = facts.isComplete && isLongEnough && isReceiving;
  return { state: isDone ? 'done' : 'waiting', since, evidence };
}

function isLost({ arrived, refused, isUnrouted }: RecipientFacts): boolean {
  return refused > 0 && (isUnrouted || arrived === 0);
}

function messageLine({ messages, isComplete }: MailFacts): string {
  const seen = messages === 0 ? 'no message has arrived' : `${plural(messages, 'message')} arrived`;
  return `${seen} since the switch${isComplete ? '' : '; older messages were not read'}`;
}

function lostLine({ shown, refused, arrived, isUnrouted, error }: RecipientFacts): string {
  const why = isUnrouted ? 'the account has no route for it' : 'none arrived';
  return `${shown}: ${plural(refused, 'message')} refused, ${arrived} arrived (${why})${errorText(error)}`;
}

/** Lists all other refusals and bounces. */
function otherLines({ recipients }: MailFacts, lost: ReadonlySet<RecipientFacts>): readonly string[] {
  const failing = recipients.filter((one) => !lost.has(one) && one.refused + one.bounced > 0);
  return failing.map(({ shown, refused, bounced, error }) => {
    const counts = [
      ...(refused > 0 ? [`${refused} refused`] : []),
      ...(bounced > 0 ? [`${bounced} bounced`] : []),
    ];
    return `${shown}: ${counts.join(', ')}${errorText(error)}`;
  });
}

function errorText(error: string | null): string {
  return error === null ? '' : `: ${error}`;
}
