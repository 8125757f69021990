import { showSource } from '../../core/model/manifest/problem.ts';
import { domainPartOf } from '../../core/model/names.ts';
import type { CommandLine } from '../../core/model/text/command-line.ts';
import { quoteForShell } from '../../core/plan/policy.ts';
import type { SafeText } from '../delivery/safe-text.ts';
import { errorOf } from '../delivery/tally.ts';
import type { WhyEvidence, WhyTaker, WhyWay } from './evidence.ts';
import type { SeenMessage } from './messages.ts';
import type { WhyVerdict } from './verdict.ts';

/** Functions that show the parts of an answer. */
export interface WhyShow {
  /** The address that was asked about. */
  readonly address: string;
  readonly destinations: (way: WhyWay) => string;
  /** Shows texts of the logs and of the service. */
  readonly text: SafeText;
  readonly time: (at: number) => string;
  /** Time range of the message search, such as `24h`. */
  readonly since: string;
  readonly command: CommandLine;
}

/** Says a verdict in one or two sentences, as one would say it to the sender. */
export function sentenceOf(found: WhyVerdict, evidence: WhyEvidence, show: WhyShow): string {
  switch (found.verdict) {
    case 'disabled':
      return disabledSentence(found.cause, evidence, show);
    case 'not-receiving':
      return `${domainPartOf(evidence.address)} does not receive mail: its MX records do not point to the service, according to the service.`;
    case 'refused':
      return refusedSentence(found, evidence, show);
    case 'failing':
      return failingSentence(found, evidence, show);
    case 'differs':
      return differsSentence(evidence, show);
    case 'discarded':
      return `Mail to ${show.address} is accepted and dropped${takerNote(evidence.actual)}.`;
    case 'delivered':
      return deliveredSentence(found.arrived, evidence, show);
    case 'not-seen':
      return `No message to ${show.address} has reached the service in the last ${show.since}. Check the address of the recipient, and ask the sender for the error message.`;
    case 'unknown':
      return unknownSentence(found.cause, evidence, show);
  }
}

function disabledSentence(
  cause: Extract<WhyVerdict, { readonly verdict: 'disabled' }>['cause'],
  { address, account }: WhyEvidence,
  show: WhyShow,
): string {
  const domain = domainPartOf(address);
  switch (cause) {
    case 'banned':
      return `The service has banned ${domain}: it forwards none of its mail.`;
    case 'routing-off':
      return `The routing of ${domain} is switched off in the account: none of its mail is forwarded.`;
    case 'locked': {
      const reason = account.lockReason === null ? '' : ` (${show.text(account.lockReason)})`;
      return `The account ${account.email} is locked${reason}: the service forwards none of its mail.`;
    }
    case 'over-quota':
      return `The account ${account.email} is over its quota: the service may not forward its mail.`;
  }
}

function refusedSentence(
  found: Extract<WhyVerdict, { readonly verdict: 'refused' }>,
  { address, wanted, actual }: WhyEvidence,
  show: WhyShow,
): string {
  const wants = isDelivery(wanted)
    ? ` The manifest sends it to ${wayText(wanted, show)}: has it been applied?`
    : '';
  switch (found.by) {
    case 'no-domain':
      return `Mail to ${show.address} is refused: the account has no domain ${domainPartOf(address)}.${wants}`;
    case 'routing':
      return actual?.outcome === 'loop'
        ? `Mail to ${show.address} goes round in a circle${takerNote(actual)} and is never delivered.${wants}`
        : `Mail to ${show.address} is refused: nothing in the account matches it.${wants}`;
    case 'message': {
      const now = isDelivery(actual) ? ' Now the account accepts such mail.' : '';
      return `The newest message to ${show.address} was refused${answerText(found.message, show)}.${now}`;
    }
  }
}

function failingSentence(
  { failed, arrived }: Extract<WhyVerdict, { readonly verdict: 'failing' }>,
  { actual }: WhyEvidence,
  show: WhyShow,
): string {
  const parts = failed.map((message) => {
    const isTriedAgain = message.course.fate === 'soft';
    const what = isTriedAgain ? 'has not accepted it yet, and the service retries' : 'did not accept it';
    return `${destinationText(message, show)} ${what}${answerText(message, show)}`;
  });
  const others = arrived.map((message) => destinationText(message, show));
  const reached = others.length === 0 ? '' : ` It was delivered to ${others.join(', ')}.`;
  const isFormer = failed.every((message) => !isSentTo(actual, message));
  const now = isFormer && isDelivery(actual) ? ` Now such mail goes to ${wayText(actual, show)}.` : '';
  return `The newest message to ${show.address} did not arrive: ${parts.join('; ')}.${reached}${now}`;
}

function isSentTo(way: WhyWay | null, { destination }: SeenMessage): boolean {
  const wanted = destination?.toLowerCase();
  return [...(way?.forward ?? []), ...(way?.to ?? [])].some((one) => one.toLowerCase() === wanted);
}

function differsSentence({ actual, wanted }: WhyEvidence, show: WhyShow): string {
  const goes = isDelivery(actual) ? `goes to ${show.destinations(actual)}` : 'is dropped';
  // If both sides name the same entry, it is named once.
  const by = takerNote(actual) === takerNote(wanted) ? '' : takerNote(actual);
  return `Mail to ${show.address} ${goes}${by}, ${wishText(wanted, show)}${takerNote(wanted)}.`;
}

function wishText(wanted: WhyWay | null, show: WhyShow): string {
  if (wanted?.outcome === 'discarded') return 'but the manifest drops it';
  return isDelivery(wanted)
    ? `and not to ${show.destinations(wanted)} as the manifest says`
    : 'but the manifest delivers it nowhere';
}

function deliveredSentence(
  arrived: readonly SeenMessage[],
  { messages, actual }: WhyEvidence,
  show: WhyShow,
): string {
  const destinations = arrived.map((message) => destinationText(message, show));
  const at = arrived[0]?.course.at ?? null;
  const when = at === null ? '' : ` at ${show.time(at)}`;
  const isNewest = messages[0]?.message === arrived[0]?.message;
  const which = isNewest ? 'The newest message' : 'The newest finished message';
  const where = `${which} to ${show.address} was delivered to ${destinations.join(', ')}${when}.`;
  // An address of the account itself is no mailbox.
  const passed = arrived.filter((message) => isPassedOn(actual, message));
  if (passed.length === 0) return `${where} Look in that mailbox, also in its spam folder.`;
  const next = passed.map(
    (message) => `\`${show.command(`why ${quoteForShell(destinationText(message, show))}`)}\``,
  );
  return `${where} The account forwards it from there: ${next.join('; ')}.`;
}

function isPassedOn(way: WhyWay | null, { destination }: SeenMessage): boolean {
  const sent = destination?.toLowerCase();
  const isOneOf = (list: WhyWay['to']): boolean => list.some((one) => one.toLowerCase() === sent);
  return way !== null && isOneOf(way.forward) && !isOneOf(way.to);
}

function unknownSentence(
  cause: Extract<WhyVerdict, { readonly verdict: 'unknown' }>['cause'],
  { missing }: WhyEvidence,
  show: WhyShow,
): string {
  switch (cause) {
    case 'missing':
      return `It is not known why mail to ${show.address} did not arrive: ${missing.map(show.text).join('; ')}.`;
    case 'on-the-way':
      return `The newest message to ${show.address} is not delivered yet: the logs do not show its result. Try again in some minutes.`;
    case 'not-decided':
      return `No message to ${show.address} was seen, and it is not known which entry gets its mail.`;
  }
}

function isDelivery(way: WhyWay | null): way is WhyWay {
  return way?.outcome === 'delivered';
}

/**
 * Returns the destinations and the entry that leads there, such as `ana@corp.example (alias sales,
 * fwdsync.yaml:14:7)`.
 */
function wayText(way: WhyWay, show: Pick<WhyShow, 'destinations'>): string {
  return `${show.destinations(way)}${takerNote(way)}`;
}

/** Returns the entry that takes the mail, and its place; null if no entry takes it. */
function takerText(by: WhyTaker | null): string | null {
  if (by === null) return null;
  const name =
    by.kind === 'fallback'
      ? 'the fallback of its rules'
      : `${by.kind}${by.name === null ? '' : ` ${by.name}`}`;
  return `${name}, ${by.source === null ? 'only in the account' : showSource(by.source)}`;
}

function takerNote(way: WhyWay | null): string {
  const taker = takerText(way?.by ?? null);
  return taker === null ? '' : ` (${taker})`;
}

function destinationText({ destination }: SeenMessage, { text }: WhyShow): string {
  return destination === null ? 'its destination' : text(destination);
}

/** Returns the words of the server, such as ` (550 no such user)`. */
function answerText({ course }: SeenMessage, { text }: WhyShow): string {
  const { code, message } = errorOf(course);
  const words = [code, text(message)].filter((part) => part !== null && part !== '').join(' ');
  return words === '' ? '' : ` (${words})`;
}
