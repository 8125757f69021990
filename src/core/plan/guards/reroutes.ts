import { isDiscard, keepsNone } from '../../model/destinations.ts';
import type { AliasChange, Change, GuardFinding, PlannedRoute } from '../../model/plan.ts';
import type { Policy } from '../policy.ts';
import { changesPattern } from '../routes/overlaps.ts';
import { planRoutes } from '../routes/routes.ts';
import { totalManaged } from './counting.ts';
import { allowance } from './deletes.ts';
import type { GuardInput } from './input.ts';

/** Checks mail that would go to entirely different destinations: a large group of it, or all that no alias takes. */
export function guardReroutes(input: GuardInput): readonly GuardFinding[] {
  const { domains, policy } = input;
  return [
    ...guardRun(input),
    ...domains.flatMap((plan) =>
      plan.sections.flatMap((section) => guardCatchAll(section.changes, section.serviceOwn, policy)),
    ),
  ];
}

/** Up to this number, reroutes are not an accident of a group or template. */
const FEW = 9;
const SHARE_PERCENT = 30;

function guardRun(input: GuardInput): readonly GuardFinding[] {
  const { domains, policy } = input;
  const rerouted = domains.flatMap((plan) =>
    plan.sections.flatMap((section) =>
      section.changes.filter((change) => isReroute(change) && !section.serviceOwn.includes(change)),
    ),
  );
  const managed = totalManaged(domains);
  const limit = Math.max(FEW, Math.floor((managed * SHARE_PERCENT) / 100));
  const contested = contestedReroutes(input);
  const planned = rerouted.length + contested.length;
  if (planned <= limit) return [];
  return [
    {
      guard: 'max-reroutes',
      scope: 'run',
      limit,
      planned,
      message: `${rerouted.length} of ${managed} live items${contestedText(contested.length)} would keep none of their destinations; more than ${limit} need approval`,
      ...allowance({ kind: 'reroutes', count: planned }, policy),
      holds: {
        kind: 'domains',
        domains: [...new Set([...rerouted, ...contested].map(({ domain }) => domain))],
      },
      refuses: true,
    },
  ];
}

/** Finds addresses that several patterns match, and whose mail may go elsewhere because one pattern changes. */
function contestedReroutes({ domains, desired, observed }: GuardInput): readonly PlannedRoute[] {
  const changes = domains.flatMap((plan) => plan.changes);
  const adoptions = domains.flatMap((plan) => plan.adoptions);
  if (!changes.some(changesPattern)) return [];
  return planRoutes({ changes, adoptions, desired, observed }).filter(
    ({ kind, undecided, from, to }) => kind === 'reroute' && undecided !== undefined && keepsNone(from, to),
  );
}

function contestedText(count: number): string {
  return count === 0 ? '' : ` and ${count} addresses that several patterns match`;
}

function isReroute(change: Change): boolean {
  if (change.kind !== 'alias' && change.kind !== 'rule') return false;
  const { observed, desired } = change;
  return observed !== null && desired !== null && keepsNone(observed.forward, desired.forward);
}

function guardCatchAll(
  changes: readonly Change[],
  serviceOwn: readonly Change[],
  policy: Policy,
): readonly GuardFinding[] {
  return changes
    .filter((change) => change.kind === 'alias')
    .filter((change) => change.name === '*' && !change.conditional && !serviceOwn.includes(change))
    .filter(losesCatchAll)
    .map((change) => catchAll(change, policy));
}

function losesCatchAll({ observed, desired }: AliasChange): boolean {
  if (desired === null) return true;
  return observed !== null && isDiscard(desired.forward) && !isDiscard(observed.forward);
}

function catchAll({ domain, action }: AliasChange, policy: Policy): GuardFinding {
  const what = action === 'delete' ? 'be deleted' : 'discard its mail';
  return {
    guard: 'catch-all',
    scope: domain,
    limit: 0,
    planned: 1,
    message: `the catch-all *@${domain} would ${what}: mail to every address without an alias is lost`,
    ...allowance({ kind: 'unrouted', address: `*@${domain}` }, policy),
    holds: action === 'delete' ? { kind: 'domain-deletes', domain } : { kind: 'domain', domain },
    refuses: true,
  };
}
