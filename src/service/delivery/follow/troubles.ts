import type { DeliveryThreshold } from '../../../core/model/desired.ts';
import type { SafeText } from '../safe-text.ts';
import { crosses } from '../thresholds.ts';
import { errorOf, rowKey, type CountedMessage } from '../tally.ts';
import type { Trouble } from './follow-memory.ts';

export interface TroublePorts {
  readonly safe: SafeText;
  /** See `FollowedAccount`. */
  readonly rest: () => Promise<void>;
  /** Returns the keyed hash of a destination; see `hmacWith`. */
  readonly print: (text: string) => string;
  readonly threshold: DeliveryThreshold;
}

/** Time after which a destination without recent failures is forgotten. */
const FORGET_MS = 86_400_000;
/** Maximum number of troubles per domain. The oldest are dropped first. */
const MOST = 1_000;
const MOST_MOMENTS = 100;

/** Adds messages to troubles. Only messages with a final result, and refused ones, count. */
export async function withMessages(
  before: readonly Trouble[],
  messages: readonly CountedMessage[],
  ports: TroublePorts,
): Promise<readonly Trouble[]> {
  const troubles = new Map(before.map((trouble) => [keyOf(trouble, trouble.print), trouble]));
  // Failures first: a page has no order, and a delivery matters only if something failed.
  for (const [key, message] of countFailures(troubles, messages.filter(isFailure), ports)) {
    const trouble = troubles.get(key);
    if (trouble !== undefined) troubles.set(key, withWords(trouble, message, ports));
    await ports.rest();
  }
  for (const message of messages) {
    if (message.course.fate !== 'delivered') continue;
    const delivered = [message, ...asRefused(message)].map((one) => keyOf(one, printOf(one, ports)));
    for (const key of delivered) {
      const trouble = troubles.get(key);
      if (trouble === undefined) continue;
      const deliveredAt = Math.max(trouble.deliveredAt ?? 0, message.course.at ?? 0);
      troubles.set(key, { ...trouble, deliveredAt });
    }
  }
  return [...troubles.values()];
}

/** Counts messages that failed; returns the latest of each trouble. */
function countFailures(
  troubles: Map<string, Trouble>,
  failures: readonly CountedMessage[],
  ports: TroublePorts,
): ReadonlyMap<string, CountedMessage> {
  const latest = new Map<string, CountedMessage>();
  for (const message of failures) {
    const { alias, rule, course } = message;
    const print = printOf(message, ports);
    const key = keyOf(message, print);
    const known = troubles.get(key) ?? { ...NO_FAILURE, alias, rule, print };
    if ((course.at ?? 0) >= (known.failedAt.at(-1) ?? 0)) latest.set(key, message);
    troubles.set(key, withFailure(known, message));
  }
  return latest;
}

function isFailure({ course: { fate }, alias }: CountedMessage): boolean {
  return fate === 'hard' || (fate === 'refused' && alias !== null);
}

/** Returns the message as its refusal by name would be counted: a name that receives mail again no longer refuses it. */
function asRefused({ alias, ...message }: CountedMessage): readonly CountedMessage[] {
  return alias === null ? [] : [{ ...message, alias, rule: null, destination: null }];
}

function printOf({ destination }: CountedMessage, { print }: TroublePorts): string {
  return destination === null ? '' : print(destination.toLowerCase()).slice(0, 32);
}

function keyOf({ alias, rule }: Pick<Trouble, 'alias' | 'rule'>, print: string): string {
  return rowKey({ alias, rule, destination: print });
}

function withFailure(known: Trouble, { course: { at }, source }: CountedMessage): Trouble {
  const failedAt = [...known.failedAt, at ?? 0].toSorted((a, b) => a - b).slice(-MOST_MOMENTS);
  return { ...known, source, failedAt, count: known.count + 1 };
}

/** Sets the last error, and the destination of a new trouble. */
function withWords(
  trouble: Trouble,
  { course, destination: sentTo }: CountedMessage,
  { safe }: Pick<TroublePorts, 'safe'>,
): Trouble {
  const destination = trouble.destination ?? (sentTo === null ? null : safe(sentTo));
  const error = errorOf(course);
  return { ...trouble, destination, lastError: { ...error, message: safe(error.message) } };
}

const NO_FAILURE = {
  source: null,
  destination: null,
  failedAt: [],
  count: 0,
  lastError: { at: null, code: null, message: '' },
  deliveredAt: null,
  reported: 'nothing',
} as const;

/** Troubles to report, and all troubles after the report. */
export interface Judged {
  readonly failing: readonly Trouble[];
  readonly recovered: readonly Trouble[];
  readonly after: readonly Trouble[];
}

/**
 * Judges troubles. A trouble begins when the threshold is crossed and nothing was delivered since. It ends with the next
 * delivered message.
 */
export function judgeTroubles(
  troubles: readonly Trouble[],
  threshold: DeliveryThreshold,
  now: number,
): Judged {
  const failing: Trouble[] = [];
  const recovered: Trouble[] = [];
  const after = troubles.flatMap((trouble): readonly Trouble[] => {
    if (trouble.reported === 'failing') {
      if (!hasRecovered(trouble)) return [trouble];
      recovered.push(trouble);
      return [];
    }
    const lastAt = trouble.failedAt.at(-1) ?? 0;
    if (crosses(trouble.failedAt, threshold) && (trouble.deliveredAt ?? 0) < lastAt) {
      failing.push(trouble);
      return [{ ...trouble, reported: 'failing' }];
    }
    return lastAt < now - Math.max(FORGET_MS, threshold.withinMs) ? [] : [trouble];
  });
  return { failing, recovered, after: after.slice(-MOST) };
}

function hasRecovered({ deliveredAt, failedAt }: Trouble): boolean {
  return deliveredAt !== null && deliveredAt > (failedAt.at(-1) ?? 0);
}
