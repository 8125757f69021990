import type { Desired } from '../../../core/model/desired.ts';
import { SECTIONS } from '../../../core/kinds/registry.ts';
import type { Section } from '../../../core/model/kinds.ts';
import type { Observed, ObservedDomain } from '../../../core/model/observed.ts';
import { makePlan } from '../../../core/plan/plan.ts';
import type { KnownAccount } from '../known-account.ts';
import type { ApplyPorts } from '../ports.ts';
import type { Verdict } from '../verdict.ts';

/**
 * What the command line has to allow so that `desired`, the snapshot of this run, can be applied to the account as it is now, as
 * flags that are ready for a shell; none where the account could not be read again, for then nobody knows.
 */
export async function undoFlags(
  desired: Desired,
  { observed, verdict }: { readonly observed: KnownAccount['observed']; readonly verdict: Verdict },
  { client, clock, state }: Pick<ApplyPorts, 'client' | 'clock' | 'state'>,
): Promise<readonly string[]> {
  if (verdict.kind === 'unseen' || verdict.unread.size > 0) return [];
  const { prior } = await state.prior();
  const { guards } = makePlan({
    desired,
    observed: { ...observed, domains: readWhole(observed, desired) },
    policy: {
      guards: desired.guards,
      allowances: [],
      account: null,
      accountRequired: false,
      rotate: [],
      domainDeletes: 'allowed',
    },
    prior,
    now: clock.now(),
    api: { url: client.url, version: client.version },
  });
  return [...new Set(guards.map(({ allow }) => allow))].filter((allow) => allow !== null);
}

/** Of a domain that the run added only what is managed was read; whether it may go does not depend on what else is in it. */
function readWhole(observed: Pick<Observed, 'domains'>, { domains }: Desired): Observed['domains'] {
  const whole = new Map(observed.domains);
  for (const [name, live] of observed.domains) {
    if (domains.get(name)?.state === 'absent') whole.set(name, { ...NO_ROWS, ...live });
  }
  return whole;
}

const NO_ROWS: Pick<ObservedDomain, Section> = Object.fromEntries(SECTIONS.map((section) => [section, []]));
