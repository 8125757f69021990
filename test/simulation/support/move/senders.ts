import { recordsOf } from '../../../../src/client/dns/dns.ts';
import type { CachingResolver } from './zone.ts';

/** A policy file of MTA-STS, and the id of its record. */
export interface PublishedPolicy {
  readonly id: string;
  readonly mode: 'enforce' | 'testing' | 'none';
  readonly mx: readonly string[];
  readonly maxAge: number;
}

/** A sending mail server that caches records and policies as long as allowed. */
export interface Sender {
  readonly resolver: CachingResolver;
  policy: { readonly published: PublishedPolicy; readonly until: number } | null;
}

export interface Mail {
  readonly from: number;
  readonly local: string;
  readonly sentAt: number;
  tries: number;
  nextAt: number;
}

/** Answer of a host to a mail. `absent` means no answer, at least not now. */
export type HostReply =
  | { readonly kind: 'accepted'; readonly to: readonly string[] }
  | { readonly kind: 'refused' }
  | { readonly kind: 'absent' };

/** Result of an attempt, and its host. */
export type Attempt =
  | { readonly kind: 'accepted'; readonly to: readonly string[]; readonly host: string }
  | { readonly kind: 'refused'; readonly host: string }
  | { readonly kind: 'deferred'; readonly why: string };

export interface Internet {
  readonly domain: string;
  readonly now: () => number;
  /** The policy file that the policy host serves now. */
  readonly policyFile: () => PublishedPolicy | null;
  readonly connect: (host: string, local: string) => HostReply;
}

/** Tries to deliver once by RFC 5321 and RFC 8461: tries hosts by preference and skips those that the policy forbids. */
export function attempt(sender: Sender, local: string, internet: Internet): Attempt {
  const { domain, connect } = internet;
  refreshPolicy(sender, internet);
  const hosts = hostsOf(sender, domain);
  if (hosts === null) return { kind: 'deferred', why: 'no answer from DNS' };
  const forbidden = forbiddenTo(sender, internet.now());
  const usable = hosts.filter((host) => !forbidden(host));
  for (const host of usable) {
    const reply = connect(host, local);
    if (reply.kind !== 'absent') return { ...reply, host };
  }
  return {
    kind: 'deferred',
    why: usable.length < hosts.length ? 'the policy forbids it' : 'no host answers',
  };
}

function hostsOf({ resolver }: Sender, domain: string): readonly string[] | null {
  const answer = resolver.look({ name: domain, type: 'MX' });
  if (answer === null) return null;
  const records = recordsOf(answer.answers, 'MX');
  if (records.length === 0) return [domain];
  return records.toSorted((a, b) => a.preference - b.preference).map(({ exchange }) => exchange);
}

/** Reads the policy again if its record has another id, or if it is too old. */
function refreshPolicy(sender: Sender, { domain, now, policyFile }: Internet): void {
  const answer = sender.resolver.look({ name: `_mta-sts.${domain}`, type: 'TXT' });
  const ids = recordsOf(answer?.answers ?? [], 'TXT').flatMap(({ text }) => /id=(\w+)/.exec(text)?.[1] ?? []);
  const [id] = ids;
  const known = sender.policy !== null && sender.policy.until > now() ? sender.policy : null;
  sender.policy = known;
  if (ids.length !== 1 || id === undefined || known?.published.id === id) return;
  const file = policyFile();
  if (file !== null) sender.policy = { published: { ...file, id }, until: now() + file.maxAge * 1000 };
}

/** Returns a function that is true for hosts that the sender's policy forbids. */
export function forbiddenTo({ policy }: Sender, now: number): (host: string) => boolean {
  if (policy === null || policy.until <= now || policy.published.mode !== 'enforce') return () => false;
  return (host) => !policy.published.mx.some((pattern) => matches(pattern, host));
}

function matches(pattern: string, host: string): boolean {
  return (
    pattern === host || (pattern.startsWith('*.') && host.split('.').slice(1).join('.') === pattern.slice(2))
  );
}

const MINUTE = 60_000;
/** Senders give up after five days. */
export const GIVE_UP_MS = 5 * 86_400_000;

/** Returns the time of the next attempt: the first ones at short intervals, then every four hours. */
export function nextTry({ tries }: Mail, now: number, random: () => number): number {
  const minutes = [5, 10, 20, 40, 80, 160][tries] ?? 240;
  return now + Math.round(minutes * MINUTE * (0.9 + random() * 0.2));
}
