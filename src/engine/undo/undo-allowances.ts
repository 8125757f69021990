import type { Desired } from '../../core/model/desired.ts';
import type { Reference, References } from '../../core/model/destinations.ts';
import type { Section } from '../../core/model/kinds.ts';
import type { Observed, ObservedDomain } from '../../core/model/observed.ts';
import { makePlan } from '../../core/plan/plan.ts';
import type { ApplyInput, ApplyPorts } from '../apply/ports.ts';
import type { Verdict } from '../apply/verdict.ts';
import { readRunItems } from './run-items.ts';
import { reverseRun, undoPolicy } from './undo-request.ts';
import { SECTIONS } from '../../core/kinds/registry.ts';

/**
 * Returns the flags that allow the undo of a run which has just ended, ready for a shell. Returns none if the account could not be
 * read again after the run.
 */
export async function undoAllowances(
  { origin, startedAt, references }: ApplyInput,
  { observed, verdict }: { readonly observed: Observed; readonly verdict: Verdict },
  { client, clock, state }: Pick<ApplyPorts, 'client' | 'clock' | 'state'>,
): Promise<readonly string[]> {
  if (verdict.kind === 'unseen' || verdict.unread.size > 0) return [];
  const { run } = origin;
  const account = observed.account.email;
  const items = await readRunItems(state, { run, since: new Date(startedAt).toISOString() });
  const { prior } = await state.prior();
  const resolvePassword = knownValues(references);
  const { desired } = await reverseRun(
    { items, account, later: new Map() },
    { observed, prior, state, resolvePassword },
  );
  const { guards } = makePlan({
    desired,
    observed: { ...observed, domains: withWholeDomains(observed, desired) },
    policy: undoPolicy({ account }, { allowances: [] }),
    prior,
    now: clock.now(),
    api: { url: client.url, version: client.version },
  });
  return [...new Set(guards.map(({ allow }) => allow))].filter((allow) => allow !== null);
}

/** Resolves references to the values that the run knew. */
function knownValues(references: References): (reference: Reference) => string | null {
  const byReference = Map.groupBy(references, ([, { shown }]) => shown);
  return ({ shown }) =>
    byReference
      .get(shown)
      ?.map(([value]) => value)
      .join() ?? null;
}

/** Returns the domains as if all of those that go had been read in full: of one that the run added only managed sections were. */
function withWholeDomains({ domains }: Observed, desired: Desired): Observed['domains'] {
  const whole = new Map(domains);
  for (const [name, live] of domains) {
    if (desired.domains.get(name)?.state === 'absent') whole.set(name, { ...NO_ROWS, ...live });
  }
  return whole;
}

const NO_ROWS: Pick<ObservedDomain, Section> = Object.fromEntries(SECTIONS.map((section) => [section, []]));
