import type { Client } from '../../client/client.ts';
import { errorText, type ApiError } from '../../client/errors.ts';
import { observe, type ObservedDomains } from '../../client/observe.ts';
import type { Clock } from '../../core/model/clock.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Account, ObservedDomain } from '../../core/model/observed.ts';
import { succeed, type Result } from '../../core/model/result.ts';
import { makePlan } from '../../core/plan/plan.ts';
import { keepDomains } from '../../engine/domain-digests.ts';
import {
  checkSameAccount,
  differingDomains,
  listForDrift,
  listShows,
  type DriftQuestion,
  type ListedDomains,
} from '../../engine/quick-drift.ts';
import type { Access, Swept } from './account-run.ts';
import type { FullReads } from './full-reads.ts';
import { DOMAIN_WIRE } from '../../core/kinds/domain/wire.ts';

export interface QuickSweepPorts {
  readonly clock: Clock;
  readonly reads: FullReads;
  /** Called when the list cannot be used and everything is read in full. The message is for people. */
  readonly onListUnread: (message: string) => void;
}

/** A sweep's read of the account. */
export interface SweepRead extends Swept {
  /** `whole` means that all of the account is read each time. */
  readonly kind: 'whole' | 'quick';
  /** Expected time of the next sweep, in milliseconds. null means as long as this one. */
  readonly nextMs: number | null;
}

export interface OtherAccount {
  readonly kind: 'other-account';
  /** Message for people. */
  readonly message: string;
}

export type QuickAccess = Pick<Access, 'client' | 'policy' | 'openState'> & { readonly drift: Client };

/**
 * Reads in full the domains that differ in the v3 list, those that were not in sync before, and a rotating share of
 * the others. For the rest it returns the last read.
 */
export async function readQuickly(
  access: QuickAccess,
  desired: Desired,
  ports: QuickSweepPorts,
): Promise<Result<SweepRead | OtherAccount, ApiError>> {
  const { clock, reads } = ports;
  const startedAt = clock.monotonic();
  reads.forget([...reads.domains.keys()].filter((name) => !desired.domains.has(name)));
  const client = access.client.withUrgency('sweep');
  const account = await client.getAccount();
  if (!account.ok) return account;
  const list = await readList(access, account.value, ports);
  if (list.kind === 'other-account') return succeed(list);
  const some =
    list.kind === 'listed'
      ? await chooseDomains(list.domains, { access, account: account.value, desired }, ports)
      : null;
  // After a first read of everything, the next sweep can compare.
  const nextMs = list.kind === 'not-needed' && !reads.hasReadAll() ? 0 : null;
  const read = await (some === null
    ? observe(client, { desired, account: account.value, clock })
    : readSome(client, { ...some, desired, clock }));
  if (!read.ok) return read;
  reads.sweepEnded({ startedAt, endedAt: clock.monotonic(), extent: some === null ? 'all' : 'some' });
  const observed = { account: account.value, ...read.value };
  return succeed({ kind: 'quick', observed, client: access.client, nextMs });
}

/**
 * The v3 list. `not-needed` means that no full read of any domain is known; `unread` means that the list could not be
 * read.
 */
type List =
  | { readonly kind: 'listed'; readonly domains: ListedDomains }
  | { readonly kind: 'not-needed' | 'unread' }
  | OtherAccount;

async function readList(
  { drift }: Pick<QuickAccess, 'drift'>,
  account: Account,
  { reads, onListUnread }: QuickSweepPorts,
): Promise<List> {
  const list = reads.domains.size === 0 ? checkSameAccount : listForDrift;
  const listed = await list(drift.withUrgency('sweep'), account);
  if (listed.ok)
    return listed.value === undefined ? { kind: 'not-needed' } : { kind: 'listed', domains: listed.value };
  const fault = listed.error;
  if (fault.kind === 'other-account') {
    const message = `the account at ${drift.url} is ${fault.email}, but the one to keep in sync is ${account.email}`;
    return { kind: 'other-account', message };
  }
  onListUnread(errorText(fault.error));
  return { kind: 'unread' };
}

interface SomeDomains {
  readonly listed: ListedDomains;
  readonly question: DriftQuestion;
  /** Last reads of domains that were in sync. */
  readonly known: ReadonlyMap<DomainName, ObservedDomain>;
  /** Domains to read in full. */
  readonly names: readonly DomainName[];
}

/**
 * Returns the domains that differ in the list, those whose turn it is, and those that are unknown. null means all
 * domains.
 */
async function chooseDomains(
  listed: ListedDomains,
  {
    access,
    account,
    desired,
  }: { readonly access: QuickAccess; readonly account: Account; readonly desired: Desired },
  { clock, reads }: QuickSweepPorts,
): Promise<SomeDomains | null> {
  const { client, policy, openState } = access;
  const { prior } = await openState(account.email).prior();
  const api = { url: client.url, version: client.version };
  const question = { account, desired, policy, prior, api, now: clock.now() };
  const known = new Map(reads.domains);
  const chosen = new Set([...differingDomains(question, listed), ...reads.due(clock.monotonic())]);
  const names = [...desired.domains.keys()].filter((name) => chosen.has(name) || !known.has(name));
  return names.length === desired.domains.size ? null : { listed, question, known, names };
}

/**
 * Reads some domains in full. A changed rule or credential is not in the list and may not be the only one. All other
 * domains are then read too, so that the guards count everything that a full read would find.
 */
async function readSome(
  client: Client,
  some: SomeDomains & { readonly desired: Desired; readonly clock: Clock },
): Promise<Result<ObservedDomains, ApiError>> {
  const { names, desired } = some;
  const first = await readInFull(client, names, some);
  if (!first.ok) return first;
  const wasRead = new Set(names);
  if (!hidesMore(first.value, some)) return succeed(merge(some, wasRead, [first.value]));
  const others = await readInFull(
    client,
    [...desired.domains.keys()].filter((name) => !wasRead.has(name)),
    some,
  );
  if (!others.ok) return others;
  return succeed(merge(some, new Set(desired.domains.keys()), [first.value, others.value]));
}

function readInFull(
  client: Client,
  names: readonly DomainName[],
  { listed, question, desired: whole, clock }: Parameters<typeof readSome>[1],
): Promise<Result<ObservedDomains, ApiError>> {
  const { account } = question;
  const wanted = new Set(names);
  const desired = keepDomains(whole, (name) => wanted.has(name));
  const pages = Math.ceil(listed.size / DOMAIN_WIRE.list.pageSize[client.version]);
  return observe(client, { desired, domains: names.length < pages ? names : undefined, account, clock });
}

/**
 * True if a domain that was in sync differs in parts that the list does not show. Additions do not count, because no
 * guard counts them.
 */
function hidesMore(read: ObservedDomains, { question, known, names }: SomeDomains): boolean {
  const wasInSync = new Set(names.filter((name) => known.has(name)));
  const desired = keepDomains(question.desired, (name) => wasInSync.has(name));
  const { changes } = makePlan({ ...question, desired, observed: { account: question.account, ...read } });
  return changes.some((change) => change.action !== 'add' && !listShows(change));
}

/** Merges both reads in the order of the list. An unmanaged domain is kept as a v4 list would show it. */
function merge(
  { listed, known }: SomeDomains,
  wasRead: ReadonlySet<DomainName>,
  reads: readonly ObservedDomains[],
): ObservedDomains {
  const found = new Map(reads.flatMap((read) => [...read.domains]));
  const domains = new Map<DomainName, ObservedDomain>();
  for (const name of new Set([...listed.keys(), ...wasRead])) {
    const domain = wasRead.has(name) ? found.get(name) : withListed(known.get(name), listed.get(name));
    if (domain !== undefined) domains.set(name, domain);
  }
  return { domains, unproven: new Map(reads.flatMap(({ unproven }) => [...unproven])) };
}

/** Returns the last read of a domain with what the list shows now. An unmanaged domain is as in the list. */
function withListed(
  known: ObservedDomain | undefined,
  row: ObservedDomain | undefined,
): ObservedDomain | undefined {
  if (known === undefined) return withoutAliases(row);
  const { forwardingReady } = row ?? known;
  return forwardingReady === undefined ? known : { ...known, forwardingReady };
}

/** Removes the aliases. Only managed domains have sections; each is from a separate listing. */
function withoutAliases(row: ObservedDomain | undefined): ObservedDomain | undefined {
  if (row === undefined) return undefined;
  const { aliases: _aliases, ...domain } = row;
  return domain;
}
