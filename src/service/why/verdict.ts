import { sameDestinations } from '../../core/model/destinations.ts';
import type { WhyEvidence, WhyWay } from './evidence.ts';
import type { SeenMessage } from './messages.ts';

/** The reason why a message did not arrive, with the facts that show it. */
export type WhyVerdict =
  | { readonly verdict: 'disabled'; readonly cause: 'banned' | 'routing-off' | 'locked' | 'over-quota' }
  | { readonly verdict: 'not-receiving' }
  | { readonly verdict: 'refused'; readonly by: 'routing' | 'no-domain' }
  | { readonly verdict: 'refused'; readonly by: 'message'; readonly message: SeenMessage }
  | {
      readonly verdict: 'failing';
      readonly failed: readonly [SeenMessage, ...SeenMessage[]];
      readonly arrived: readonly SeenMessage[];
    }
  | { readonly verdict: 'differs' | 'discarded' | 'not-seen' }
  | { readonly verdict: 'delivered'; readonly arrived: readonly SeenMessage[] }
  | { readonly verdict: 'unknown'; readonly cause: 'missing' | 'on-the-way' | 'not-decided' };

/**
 * Returns the first verdict that holds, starting with the one that affects the most mail. Missing evidence is no
 * reason for a verdict.
 */
export function findVerdict(evidence: WhyEvidence): WhyVerdict {
  const newest = newestMessage(evidence.messages);
  return (
    halt(evidence) ??
    refusal(evidence, newest) ??
    failure(newest) ??
    deviation(evidence) ??
    arrival(evidence, newest)
  );
}

/** Finds what stops all mail of the domain. */
function halt(evidence: WhyEvidence): WhyVerdict | null {
  const { domain } = evidence;
  const cause = disabledBy(evidence);
  if (cause !== null) return { verdict: 'disabled', cause };
  const isUnreached = domain !== null && domain !== 'absent' && domain.forwardingReady === false;
  return isUnreached ? { verdict: 'not-receiving' } : null;
}

function deviation(evidence: WhyEvidence): WhyVerdict | null {
  if (evidence.missing.length > 0) return { verdict: 'unknown', cause: 'missing' };
  if (differs(evidence) === true) return { verdict: 'differs' };
  return evidence.actual?.outcome === 'discarded' ? { verdict: 'discarded' } : null;
}

/** Returns the verdict of the messages. Used if nothing is wrong with the ways. */
function arrival({ messages, actual }: WhyEvidence, newest: readonly SeenMessage[]): WhyVerdict {
  if (newest.length > 0) return { verdict: 'delivered', arrived: newest };
  if (messages.length > 0) return { verdict: 'unknown', cause: 'on-the-way' };
  return actual?.outcome === 'unknown'
    ? { verdict: 'unknown', cause: 'not-decided' }
    : { verdict: 'not-seen' };
}

function disabledBy({
  domain,
  account,
}: WhyEvidence): Extract<WhyVerdict, { readonly verdict: 'disabled' }>['cause'] | null {
  const live = domain === null || domain === 'absent' ? null : domain;
  if (live?.banned === true) return 'banned';
  if (live?.routingEngine === null) return 'routing-off';
  if (account.locked) return 'locked';
  return account.overQuota ? 'over-quota' : null;
}

/** Returns the entries of the newest message whose fate is known for at least one destination. */
function newestMessage(messages: readonly SeenMessage[]): readonly SeenMessage[] {
  const known = messages.filter(({ course }) => course.fate !== null);
  return known.filter(({ message }) => message === known[0]?.message);
}

function refusal(
  { domain, actual }: WhyEvidence,
  [newest]: readonly SeenMessage[],
): Extract<WhyVerdict, { readonly verdict: 'refused' }> | null {
  if (domain === 'absent') return { verdict: 'refused', by: 'no-domain' };
  if (actual?.outcome === 'refused' || actual?.outcome === 'loop')
    return { verdict: 'refused', by: 'routing' };
  if (newest?.course.fate !== 'refused') return null;
  return { verdict: 'refused', by: 'message', message: newest };
}

function failure(
  newest: readonly SeenMessage[],
): Extract<WhyVerdict, { readonly verdict: 'failing' }> | null {
  const [first, ...others] = newest.filter(({ course: { fate } }) => fate === 'hard' || fate === 'soft');
  if (first === undefined) return null;
  const arrived = newest.filter(({ course }) => course.fate === 'delivered');
  return { verdict: 'failing', failed: [first, ...others], arrived };
}

/**
 * True if manifest and account send mail to different destinations. null means that it is not known, or that the
 * manifest does not manage it.
 */
export function differs({ wanted, actual, isManaged }: WhyEvidence): boolean | null {
  if (wanted === null || actual === null || !isManaged) return null;
  if (!isKnown(wanted) || !isKnown(actual)) return null;
  return wanted.outcome !== actual.outcome || !sameDestinations(wanted.to, actual.to);
}

function isKnown({ outcome }: WhyWay): boolean {
  return outcome !== 'unknown';
}
