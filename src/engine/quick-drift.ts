import type { Client } from '../client/client.ts';
import type { ApiError } from '../client/errors.ts';
import type { Desired, DesiredDomain, PresentDomain } from '../core/model/desired.ts';
import { kindOf, SECTIONS, KINDS } from '../core/kinds/registry.ts';
import type { DomainName } from '../core/model/names.ts';
import type { Account, ObservedDomain } from '../core/model/observed.ts';
import type { Change } from '../core/model/plan.ts';
import { fail, succeed, type Result } from '../core/model/result.ts';
import { makePlan, type PlanInput } from '../core/plan/plan.ts';

/** The domains of an account as the list shows them that embeds their aliases; none of them has its rules or credentials. */
export type ListedDomains = ReadonlyMap<DomainName, ObservedDomain>;

export type DriftFault =
  | { readonly kind: 'other-account'; readonly email: string }
  | { readonly kind: 'account-unread' | 'list-unread'; readonly error: ApiError };

/** Whether the account that this client of v3 reaches is the one that is read in full. */
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
 * Reads the list of domains of the same account through a client of v3, a request for a hundred of them. It finds domains to read
 * in full and is never a reason to write by itself.
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

/** What a plan needs apart from the read of the domains. */
export type DriftQuestion = Omit<PlanInput, 'observed'> & { readonly account: Account };

/**
 * Domains whose aliases or settings differ from what is desired of them, and those of which the list does not show enough: absent
 * ones, those that may have more aliases than it embeds, and those that are to be deleted.
 */
export function differingDomains(
  { account, desired, ...input }: DriftQuestion,
  listed: ListedDomains,
): ReadonlySet<DomainName> {
  const observed = { account, domains: listed, unproven: new Map() };
  const { changes, withheld } = makePlan({ ...input, desired: shownPart(desired), observed });
  return new Set([...changes, ...withheld].map(({ domain }) => domain));
}

/** Whether a difference of this kind is one that the list shows. */
export function listShows({ kind }: Pick<Change, 'kind'>): boolean {
  return KINDS[kind].isListed;
}

/** What of a manifest the list can show. */
function shownPart(desired: Desired): Desired {
  const shown = [...desired.domains].map(([name, domain]) => [name, shownOf(domain)] as const);
  return { ...desired, domains: new Map(shown) };
}

function shownOf(domain: DesiredDomain): DesiredDomain {
  if (domain.state === 'absent') return domain;
  const hidden = new Set<string>(SECTIONS.filter((section) => !KINDS[kindOf(section)].isListed));
  return Object.fromEntries(Object.entries(domain).filter(([key]) => !hidden.has(key))) as PresentDomain;
}
