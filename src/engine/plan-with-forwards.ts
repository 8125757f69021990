import type { Client } from '../client/client.ts';
import type { ApiError } from '../client/errors.ts';
import { observeForwards, observeOthers, withEmbedded } from '../client/observe-forwards.ts';
import type { Clock } from '../core/model/clock.ts';
import { domainPartOf, type DomainName } from '../core/model/names.ts';
import { unreadRouting, type Observed, type UnreadRouting } from '../core/model/observed.ts';
import type { Plan } from '../core/model/plan.ts';
import { succeed, type Result } from '../core/model/result.ts';
import { makePlan, type PlanInput } from '../core/plan/plan.ts';
import { domainsLeadingTo } from '../core/plan/routes/forwarders.ts';
import { forwardsTo } from '../core/plan/routes/candidates.ts';
import { readsOfDomainList, requestsAtLeast } from '../core/plan/requests/reads.ts';
import { takesRoutes } from '../core/plan/warnings.ts';

interface Ports {
  readonly client: Client;
  readonly clock: Clock;
}

interface PlanMade {
  readonly input: PlanInput;
  readonly plan: Plan;
}

/**
 * Makes a plan. If it removes mail or routes, or leads mail to domains that were not read, first reads which other
 * domains forward there and plans again. Does not read them if that takes more requests than the run itself; the plan
 * then says so.
 */
export async function planWithForwards(input: PlanInput, ports: Ports): Promise<Result<PlanMade, ApiError>> {
  const plan = makePlan(input);
  const mayTellMore =
    takesRoutes(plan) ||
    losesMail(plan) ||
    leadsToUnread(plan, input.observed) ||
    unreadRules(plan, input.observed).length > 0;
  if (!mayTellMore) return succeed({ input, plan });
  const read = await readForwards(input, plan, ports);
  if (!read.ok) return read;
  if (read.value === input.observed) return succeed({ input, plan });
  const whole = { ...input, observed: read.value };
  return succeed({ input: whole, plan: makePlan(whole) });
}

/** True unless nothing is lost; what leads to a domain that was not read counts as delivered. */
function losesMail({ guards }: Pick<Plan, 'guards'>): boolean {
  return guards.some(({ guard }) => guard === 'unrouted');
}

/**
 * True if changes lead mail, before or after, to a domain of the account that was not read, directly or through
 * others.
 */
function leadsToUnread(plan: Pick<Plan, 'changes'>, observed: Observed): boolean {
  const hosts = domainsLedTo(plan, observed);
  if (hosts.size === 0) return false;
  const unread = new Set(unreadRouting(observed).map(({ domain }) => domain));
  return !domainsLeadingTo(unread, observed).isDisjointFrom(hosts);
}

/** Returns the domains of the account to which changes lead mail, before or after. */
function domainsLedTo({ changes }: Pick<Plan, 'changes'>, observed: Observed): ReadonlySet<DomainName> {
  return new Set(
    changes
      .flatMap(({ observed: before, desired: after }) => [before, after])
      .flatMap((state) => (state !== null && 'forward' in state ? state.forward : []))
      .map((destination) => domainPartOf(destination) as DomainName)
      .filter((domain) => observed.domains.has(domain)),
  );
}

/**
 * Returns the unread rules on the way of the changes' mail, hop by hop: those of domains whose engine the account does
 * not show.
 */
function unreadRules(plan: Pick<Plan, 'changes'>, observed: Observed): readonly UnreadRouting[] {
  const passed = new Set(domainsLedTo(plan, observed));
  const unread: UnreadRouting[] = [];
  // The set grows during the loop.
  for (const domain of passed) {
    const live = observed.domains.get(domain);
    if (live === undefined) continue;
    if (live.routingEngine === undefined && live.rules === undefined)
      unread.push({ domain, section: 'rules' });
    for (const host of forwardsTo(live, observed.account)) passed.add(host as DomainName);
  }
  return unread;
}

async function readForwards(
  input: PlanInput,
  plan: Plan,
  { client, clock }: Ports,
): Promise<Result<Observed, ApiError>> {
  const { version } = client;
  const most = requestsAtLeast(plan, { ...input, version });
  let { observed } = input;
  let spent = 0;
  if (observed.partial === true) {
    // The account has the domains of the manifest, if not more.
    spent = readsOfDomainList(
      Math.max(observed.domains.size, input.manifestSize?.domains.size ?? 0),
      version,
    );
    if (spent > most) return succeed(observed);
    const others = await observeOthers(client, observed);
    if (!others.ok) return others;
    observed = others.value;
  }
  observed = withEmbedded(observed);
  const unread = [...unreadRouting(observed), ...unreadRules(plan, observed)];
  if (unread.length === 0 || spent + unread.length > most) return succeed(observed);
  return observeForwards(client, { observed, unread }, clock);
}
