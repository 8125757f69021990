import { domainPartOf, localPartOf, type DomainName } from '../../model/names.ts';
import type { PlannedRoute } from '../../model/plan.ts';
import type { Mail } from '../../routing/route.ts';
import { assumptions } from './assumptions.ts';
import { createAttribution, type Attribution } from './attribution.ts';
import { createMessageTally, type MessageVerdict } from './message-tally.ts';
import { leadsFrom, replayedDomains } from './replayed-domains.ts';
import { canFollow, outcomesOfMail, sameOutcome } from '../routes/outcomes.ts';
import { readSides, type RoutesInput, type Sides } from '../routes/sides.ts';

/** A message as the email logs of a domain show it: one of its destinations. */
export interface LoggedMessage {
  /** Tells messages apart, together with the recipient. */
  readonly id: string;
  /** Null means that the log does not show it. */
  readonly recipient: string | null;
  readonly sender: string | null;
  readonly subject: string | null;
  /** The destination that it was forwarded to. Null means that it was not forwarded. */
  readonly forward: string | null;
}

/** Amount of mail that a plan changes. */
export interface ReplayCounts {
  readonly messages: number;
  /** Messages that would end elsewhere. */
  readonly changed: number;
  /** Messages whose end depends on something that the logs do not show. */
  readonly unknown: number;
  /** For each route, its number of changed messages. Null means that it cannot be known. */
  readonly byRoute: readonly (number | null)[];
}

export interface Replay {
  /** Domains whose mail may end elsewhere, those with the most routes first. */
  readonly domains: readonly DomainName[];
  /** Adds a log entry of a domain. */
  readonly add: (domain: DomainName, message: LoggedMessage) => void;
  /** Returns the counts. Those of `unread` domains, whose logs were not read to the end, cannot be known. */
  readonly counts: (unread: ReadonlySet<string>) => ReplayCounts;
}

/**
 * Routes messages through the account before and after a plan, and counts those that end elsewhere. Each counts in the one
 * of `routes` that decides it.
 */
export function createReplay(input: RoutesInput, routes: readonly PlannedRoute[]): Replay {
  const readings = Object.values(readSides(input)).flatMap((sides) =>
    sides === null ? [] : [{ sides, attribution: createAttribution(routes, sides) }],
  );
  const domains = replayedDomains(input, routes);
  const inside = new Set<string>(domains);
  const tally = createMessageTally();
  return {
    domains,
    add(domain, { id, recipient, sender, subject, forward }) {
      const to = `${localPartOf(recipient ?? '')}@${domain}`;
      const next = forward?.toLowerCase() ?? '';
      tally.add({ id, to: to.toLowerCase(), forward: inside.has(domainPartOf(next)) ? next : null }, () => {
        if (recipient === null || recipient === '')
          return { kind: 'unknown', routes: ownRoutes(routes, domain) };
        return judge({ to, sender, subject }, readings);
      });
    },
    counts(unread) {
      const { messages, changed, unknown, byRoute, uncertain } = tally.counts();
      const doubtful = new Set([...unread, ...leadsFrom(unread, input)]);
      return {
        messages,
        changed,
        unknown,
        byRoute: routes.map(({ domain }, index) =>
          doubtful.has(domain) || uncertain.has(index) ? null : (byRoute.get(index) ?? 0),
        ),
      };
    },
  };
}

function ownRoutes(routes: readonly PlannedRoute[], domain: DomainName): readonly number[] {
  return [...routes.keys()].filter((index) => routes[index]?.domain === domain);
}

interface ReplayReading {
  readonly sides: Sides;
  readonly attribution: Attribution;
}

/** Parts of a message that the router is given, as far as the logs show them. */
interface SeenMail extends Pick<LoggedMessage, 'sender' | 'subject'> {
  readonly to: string;
}

/** A message is unknown where readings, or contents that it may have, differ in whether it ends elsewhere. */
function judge(message: SeenMail, readings: readonly ReplayReading[]): MessageVerdict {
  const found = { same: false, changed: false, unknown: false };
  const routes = new Set<number | null>();
  for (const reading of readings) {
    const all = assumptions((assume) => {
      for (const [verdict, route] of compareWays(mailOf(message, assume), reading)) {
        found[verdict] = true;
        if (verdict !== 'same') routes.add(route);
      }
    });
    if (all === 'too-many') found.unknown = true;
  }
  if (!found.changed && !found.unknown) return SAME;
  const known = [...routes].filter((route) => route !== null);
  if (found.same || found.unknown) return { kind: 'unknown', routes: known };
  return { kind: 'changed', routes: [...routes] };
}

const SAME: MessageVerdict = { kind: 'same' };

function mailOf({ to, sender, subject }: SeenMail, assume: (condition: string) => boolean): Mail {
  const parts = new Set([
    'body' as const,
    ...(sender === null ? ['sender' as const] : []),
    ...(subject === null ? ['subject' as const] : []),
  ]);
  return { to, from: sender ?? '', subject: subject ?? '', body: '', unseen: { parts, assume } };
}

type Compared = readonly ['same' | 'changed' | 'unknown', number | null];

/** Yields how each way of a message before the plan compares with each that can follow it, and the route that decides. */
function* compareWays(mail: Mail, { sides, attribution }: ReplayReading): Generator<Compared> {
  const after = outcomesOfMail(mail, sides.after);
  for (const before of outcomesOfMail(mail, sides.before)) {
    for (const then of after) {
      if (!canFollow(before, then)) continue;
      const isOpen = before.open.length + then.open.length > 0;
      const verdict = sameOutcome(before, then) ? 'same' : isOpen ? 'unknown' : 'changed';
      yield [verdict, attribution(mail.to, { before: before.by, after: then.by })];
    }
  }
}
