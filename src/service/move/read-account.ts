import { errorText } from '../../client/errors.ts';
import { nameKey } from '../../core/model/names.ts';
import { countEntries, type PresentDomain } from '../../core/model/desired.ts';
import { liveEngineOf, type ObservedDomain } from '../../core/model/observed.ts';
import { fail, succeed } from '../../core/model/result.ts';
import type { AccountFacts, Read } from '../../core/move/observation.ts';
import type { Planned } from '../../engine/plan-once.ts';
import type { MovePorts, MoveShow } from './ports.ts';

/** Plans the domain, and says how the account stands to it. */
export async function readAccountFacts(
  domain: PresentDomain,
  { plan, show }: Pick<MovePorts, 'plan' | 'show'>,
): Promise<Read<AccountFacts>> {
  const planned = await plan();
  if (!planned.ok) return fail(show.text(errorText(planned.error)));
  // A domain that was not read is not one that the account does not have.
  const unproven = planned.value.input.observed.unproven.get(domain.domain);
  if (unproven !== undefined) return fail(show.text(unproven.reason));
  return succeed(accountFacts(domain, planned.value, show));
}

function accountFacts(domain: PresentDomain, { plan, input }: Planned, show: MoveShow): AccountFacts {
  const { account, domains } = input.observed;
  const live = domains.get(domain.domain);
  return {
    changes: plan.changes.length,
    held: heldBack(plan).map(show.text),
    isPresent: live !== undefined,
    engine: live === undefined ? null : liveEngineOf(live),
    wants: {
      aliases: countEntries(domain.aliases) > 0,
      rules: countEntries(domain.rules) > 0,
      credentials: countEntries(domain.credentials) > 0,
    },
    isBanned: live?.banned === true,
    lockReason: account.locked ? show.text(account.lockReason ?? '') : null,
    isOverQuota: account.overQuota,
    liveCatchAll: unmanagedCatchAll(domain, live, show),
    strictMxes: live?.strictMxes ?? null,
  };
}

function heldBack({ guards, withheld, problems }: Planned['plan']): readonly string[] {
  const refused = guards.filter(({ refuses, allowed }) => refuses && !allowed);
  return [
    ...problems.map(({ message }) => message),
    ...refused.map(({ guard, message }) => `the guard ${guard} refuses the plan: ${message}`),
    ...withheld.filter(({ cause }) => cause === 'unproven').map(({ reason }) => reason),
  ];
}

function unmanagedCatchAll(
  { aliases }: PresentDomain,
  live: ObservedDomain | undefined,
  { destinations }: MoveShow,
): string | null {
  const found = [...(live?.aliases ?? [])].find(({ name }) => name === '*');
  if (found === undefined || aliases?.entries.has(nameKey('*')) === true) return null;
  return destinations(found.forward);
}
