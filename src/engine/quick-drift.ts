import type { Client } from '../client/client.ts';
import type { ApiError } from '../client/errors.ts';
import type { Desired, DesiredDomain, PresentDomain } from '../core/model/desired.ts';
import { kindOf, SECTIONS, KINDS } from '../core/kinds/registry.ts';
import type { DomainName } from '../core/model/names.ts';
import type { Account, ObservedDomain } from '../core/model/observed.ts';
import type { Change } from '../core/model/plan.ts';
import { fail, succeed, type Result } from '../core/model/result.ts';
import { makePlan, type PlanInput } from '../core/plan/plan.ts';

/** The account's domains as the list with embedded aliases shows them, without rules and credentials. */
export type ListedDomains = ReadonlyMap<DomainName, ObservedDomain>;

export type DriftFault =
  | { readonly kind: 'other-account'; readonly email: string }
  | { readonly kind: 'account-unread' | 'list-unread'; readonly error: ApiError };

/** Checks that this v3 client reaches the same account as the full read. */
export async function checkSameAccount(
  client: Client,
  { email }: Account,
): Promise<Result<void, DriftFault>> {
  const account = await client.getAccount();
  if (!account.ok) return fail({ kind: 'account-unread', error: account.error });
  if (account.value.email.toLowerCase() === email.toLowerCase()) return succeed(undefined);
  return fail({ kind: 'other-account', email: account.value.email });
}

/**
 * Lists the domains of the same account through a v3 client, one request for each hundred. The list only finds
 * domains to read in full. It is never a reason to write by itself.
 */
export async function listForDrift(
  client: Client,
  account: Account,
): Promise<Result<ListedDomains, DriftFault>> {
  const same = await checkSameAccount(client, account);
  if (!same.ok) return same;
  const listed = await client.listDomainsWithAliases();
  if (!listed.ok) return fail({ kind: 'list-unread', error: listed.error });
  return succeed(new Map(listed.value.map((domain) => [domain.domain, domain])));
}

/** Input of a plan, except for the read of the domains. */
export type DriftQuestion = Omit<PlanInput, 'observed'> & { readonly account: Account };

/**
 * Returns the domains whose aliases or settings differ from their desired state. Also returns domains for which the
 * list is not enough: absent ones, those that may have more aliases than it embeds, and those to be deleted.
 */
export function differingDomains(
  { account, desired, ...input }: DriftQuestion,
  listed: ListedDomains,
): ReadonlySet<DomainName> {
  const observed = { account, domains: listed, unproven: new Map() };
  const { changes, withheld } = makePlan({ ...input, desired: shownPart(desired), observed });
  return new Set([...changes, ...withheld].map(({ domain }) => domain));
}

/** True if the list shows differences of this kind. */
export function listShows({ kind }: Pick<Change, 'kind'>): boolean {
  return KINDS[kind].isListed;
}

/** Returns the part of a manifest that the list can show. */
function shownPart(desired: Desired): Desired {
  const shown = [...desired.domains].map(([name, domain]) => [name, shownOf(domain)] as const);
  return { ...desired, domains: new Map(shown) };
}

function shownOf(domain: DesiredDomain): DesiredDomain {
  if (domain.state === 'absent') return domain;
  const hidden = new Set<string>(SECTIONS.filter((section) => !KINDS[kindOf(section)].isListed));
  return Object.fromEntries(Object.entries(domain).filter(([key]) => !hidden.has(key))) as PresentDomain;
}
