import { iso } from '../../core/model/clock.ts';
import { showText, shownDestinations, type Disclosure } from '../../core/model/destinations.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import type { CommandLine } from '../../core/model/text/command-line.ts';
import { safeTextWith, type SafeText } from '../delivery/safe-text.ts';
import { errorOf } from '../delivery/tally.ts';
import type { WhyEvidence, WhyTaker, WhyWay } from './evidence.ts';
import type { LastChange } from './last-change.ts';
import type { SeenMessage } from './messages.ts';
import { sentenceOf } from './sentence.ts';
import { differs, findVerdict, type WhyVerdict } from './verdict.ts';

/** Document `fwdsync/why@1`; see schemas/why.v1.schema.json. */
export interface WhyDocument {
  readonly kind: 'fwdsync/why@1';
  readonly address: string;
  readonly since: string;
  readonly verdict: WhyVerdict['verdict'];
  readonly sentence: string;
  /** The way by the manifest; null means that it does not name the domain. */
  readonly manifest: WayDocument | null;
  /** The way by the account; null means that it is not known. */
  readonly account: WayDocument | null;
  /** null means that it is not known, or that the manifest does not manage it. */
  readonly differs: boolean | null;
  /** The line of the manifest that decides about the address. */
  readonly source: Source | null;
  readonly lastChange: LastChange | null;
  /** True if the domain receives mail, according to the service. */
  readonly receiving: boolean | null;
  readonly messages: readonly MessageDocument[];
  readonly requests: number;
  readonly complete: boolean;
  /** Reasons why the answer is not complete. */
  readonly notices: readonly string[];
}

export interface WayDocument {
  readonly outcome: WhyWay['outcome'];
  readonly forward: readonly string[];
  readonly by: Omit<WhyTaker, 'source'> | null;
  readonly source: Source | null;
}

export interface MessageDocument {
  readonly at: string | null;
  readonly sender: string | null;
  readonly subject: string;
  readonly outcome: 'delivered' | 'refused' | 'soft' | 'hard' | 'discarded' | 'queued';
  readonly code: number | null;
  /** Answer of the server if the message did not arrive. */
  readonly message: string | null;
  readonly destination: string | null;
}

/** Input of the document: the evidence and what was asked. */
export interface WhyAnswer {
  readonly evidence: WhyEvidence;
  readonly lastChange: LastChange | null;
  readonly since: { readonly at: number; readonly text: string };
  readonly requests: number;
  /** More reasons why the answer is not complete. */
  readonly notices: readonly string[];
  /** Returns what may be shown of a text. Values of earlier runs are hidden too. */
  readonly disclose: (text: string) => Disclosure;
}

/** Builds the document of an answer. `command` completes the commands that its sentence names. */
export function whyDocument(answer: WhyAnswer, command: CommandLine): WhyDocument {
  const { evidence, lastChange, since, requests, disclose } = answer;
  const { wanted, actual, domain, messages } = evidence;
  const text = safeTextWith(disclose);
  // The person who asks already knows the local part.
  const address = showText(evidence.address, { ...disclose(evidence.address), mask: false });
  const found = findVerdict(evidence);
  const forward = (way: WhyWay): readonly string[] => {
    return shownDestinations(way.to, disclose(way.to.join(' ')));
  };
  const way = (one: WhyWay | null): WayDocument | null =>
    one === null ? null : wayDocument(one, forward(one));
  const notices = [...evidence.missing, ...answer.notices].map(text);
  return {
    kind: 'fwdsync/why@1',
    address,
    since: iso(since.at),
    verdict: found.verdict,
    sentence: sentenceOf(found, evidence, {
      address,
      destinations: (one) => forward(one).join(', '),
      text,
      time: secondOf,
      since: since.text,
      command,
    }),
    manifest: way(wanted),
    account: way(actual),
    differs: differs(evidence),
    source: wanted?.by?.source ?? actual?.by?.source ?? null,
    lastChange,
    receiving: domain === null || domain === 'absent' ? null : (domain.forwardingReady ?? null),
    messages: messages.map((message) => messageDocument(message, actual, text)),
    requests,
    complete: notices.length === 0,
    notices,
  };
}

function wayDocument({ outcome, by }: WhyWay, forward: readonly string[]): WayDocument {
  const isDelivered = outcome === 'delivered';
  return {
    outcome,
    forward: isDelivered ? forward : [],
    by: by === null ? null : { kind: by.kind, name: by.name },
    source: by?.source ?? null,
  };
}

function messageDocument(
  { at, sender, subject, course, destination }: SeenMessage,
  actual: WhyWay | null,
  text: SafeText,
): MessageDocument {
  const { code, message } = errorOf(course);
  const { fate } = course;
  const isDropped = destination === null && fate !== 'refused' && actual?.outcome === 'discarded';
  const shown = (part: string | null): string | null => (part === null ? null : text(part));
  return {
    at: at === null ? null : iso(at),
    sender: shown(sender),
    subject: text(subject),
    outcome: isDropped ? 'discarded' : (fate ?? 'queued'),
    code,
    message: shown(fate === null || fate === 'delivered' ? null : message),
    destination: shown(destination),
  };
}

/** Returns a time in UTC, to the second. */
function secondOf(at: number): string {
  return iso(at).replace(/\.\d+Z$/, 'Z');
}
