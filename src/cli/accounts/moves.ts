import { errorText } from '../../client/errors.ts';
import type { DomainName } from '../../core/model/names.ts';
import { planOnce } from '../../engine/plan-once.ts';
import type { Job, Jobs } from './accounts.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit.ts';
import { openSession } from '../input/session.ts';

/** Domains that are a tombstone in one account and present in another. */
export interface Moves {
  /** A line for each, for people. */
  readonly announcements: readonly string[];
  /**
   * Returns why an account must keep a domain that its manifest deletes; null means that it may be deleted. Waits for
   * the other account's command.
   */
  whyKeep(account: string, domain: DomainName): Promise<string | null>;
  /** Reports that the command of an account has ended. */
  ended(account: string): void;
}

export function createMoves(context: Context, { jobs, manifests }: Pick<Jobs, 'jobs' | 'manifests'>): Moves {
  const ends = new Map(jobs.map(({ name }) => [name, Promise.withResolvers<void>()]));
  const moves = findMoves(manifests);
  return {
    announcements: moves.map(
      ({ domain, from, to }) =>
        `${domain} moves from ${from} to ${to}: it is deleted in ${from} only after ${to} has it and it is verified`,
    ),
    ended: (account) => ends.get(account)?.resolve(),
    async whyKeep(account, domain) {
      for (const [other, desired] of manifests) {
        if (other === account) continue;
        if (desired === null)
          return `the manifest of ${other} is not valid, so it is not known whether ${domain} moves there`;
        if (desired.domains.get(domain)?.state !== 'present') continue;
        const job = jobs.find(({ name }) => name === other);
        if (job === undefined) return `${domain} moves to ${other}, which is not in this run`;
        // Both would wait for each other to end.
        if (leadsTo(moves, other, account))
          return `${domain} moves to ${other}, from which another domain moves here: move one of them first`;
        await ends.get(other)?.promise;
        const missing = await whyNotInPlace(context, job, domain);
        if (missing !== null) return `${domain} moves to ${other}, and ${missing}`;
      }
      return null;
    },
  };
}

interface Move {
  readonly domain: DomainName;
  readonly from: string;
  readonly to: string;
}

function findMoves(manifests: Jobs['manifests']): readonly Move[] {
  const wantedIn = new Map<DomainName, string>();
  for (const [to, desired] of manifests)
    for (const { domain, state } of desired?.domains.values() ?? [])
      if (state === 'present') wantedIn.set(domain, to);
  return [...manifests].flatMap(([from, desired]) =>
    [...(desired?.domains.values() ?? [])].flatMap(({ domain, state }) => {
      const to = wantedIn.get(domain);
      return state === 'present' || to === undefined ? [] : [{ domain, from, to }];
    }),
  );
}

/** True if domains move from one account to another, directly or through other accounts. */
function leadsTo(moves: readonly Move[], start: string, end: string): boolean {
  const reached = new Set([start]);
  for (const account of reached) for (const { from, to } of moves) if (from === account) reached.add(to);
  return reached.has(end);
}

/**
 * Reads the domain again and returns why it is not in place. null means that it is as its manifest wants it, and its
 * mail is forwarded.
 */
async function whyNotInPlace(
  context: Context,
  { settings }: Job,
  domain: DomainName,
): Promise<string | null> {
  try {
    const manifest = { ...settings.manifest, domains: [domain] };
    const session = await openSession(
      context,
      { ...settings, manifest },
      {
        command: 'apply',
        mode: 'read-only',
        stance: { accountRequired: true, domainDeletes: 'never' },
      },
    );
    try {
      const read = await planOnce(session.request, session.ports);
      if (!read.ok) return `that account could not be read: ${errorText(read.error)}`;
      const { plan, input } = read.value;
      const live = input.observed.domains.get(domain);
      if (live === undefined) return MANUAL;
      const isOpen = plan.changes.length > 0 || plan.problems.length > 0;
      const isHeld = plan.withheld.length > 0 || plan.guards.some(({ allowed }) => !allowed);
      if (isOpen || isHeld) return 'it is not in place there yet';
      return live.forwardingReady === true
        ? null
        : 'it is not ready to forward there yet: verify it, then run the command again';
    } finally {
      await session.client.close();
    }
  } catch (error) {
    if (error instanceof CommandError) return `that account could not be read: ${error.message}`;
    throw error;
  }
}

const MANUAL =
  'it is not there. If the service refuses it because it is in this account, move it by hand: delete it here with ' +
  'apply -f and --allow-domain-delete, then apply --accounts at once; mail to it is refused in between';
