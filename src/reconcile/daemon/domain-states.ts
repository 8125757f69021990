import type { DomainHealth, DomainStatus, RunResult } from '../../model/daemon.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import { withholdRefused } from '../../plan/withhold.ts';
import { openChanges } from './account-run.ts';

type Looked = Extract<RunResult, { kind: 'looked' }>;

const NOTHING: DomainStatus['pending'] = { add: 0, update: 0, move: 0, delete: 0 };
export const UNKNOWN: DomainStatus = { state: 'unknown', pending: NOTHING, reason: null, lookedAt: null };

/** How each of the domains stands after a run that read them. `now` is epoch milliseconds. */
export function domainStates(
  names: Iterable<DomainName>,
  looked: Looked,
  now: number,
): ReadonlyMap<DomainName, DomainStatus> {
  const open = Map.groupBy(openChanges(looked), ({ domain }) => domain);
  const findings = findingsOf(looked);
  return new Map(
    [...names].map((name) => {
      const changes = open.get(name) ?? [];
      const finding = findings.get(name) ?? null;
      const state: DomainHealth = finding?.state ?? (changes.length === 0 ? 'in-sync' : 'drifted');
      return [
        name,
        { state, pending: countActions(changes), reason: finding?.reason ?? null, lookedAt: now },
      ];
    }),
  );
}

/** The same after a run that came to nothing; what is known of pending changes stays. */
export function failingStates(
  names: Iterable<DomainName>,
  reason: string,
  before: ReadonlyMap<DomainName, DomainStatus>,
): ReadonlyMap<DomainName, DomainStatus> {
  return new Map(
    [...names].map((name) => [name, { ...(before.get(name) ?? UNKNOWN), state: 'failing', reason }]),
  );
}

interface Finding {
  readonly domain: string;
  readonly state: 'failing' | 'frozen' | 'withheld';
  readonly reason: string;
}

/** What keeps a domain from being in sync; the first that is found counts. */
function findingsOf(looked: Looked): ReadonlyMap<string, Finding> {
  const findings = new Map<string, Finding>();
  for (const finding of [...refusalsOf(looked), ...holdingsOf(looked)]) {
    if (!findings.has(finding.domain)) findings.set(finding.domain, finding);
  }
  return findings;
}

/** What went wrong, and may go well next time. */
function* refusalsOf({ plan, report, unset }: Looked): Generator<Finding> {
  const state = 'failing';
  for (const { domain, message } of [...(report?.failed ?? []), ...(report?.notKept ?? [])]) {
    yield { domain, state, reason: message };
  }
  for (const { domain, name } of unset) {
    yield { domain, state, reason: `the password of credential ${name} is not set, or too short` };
  }
  for (const { domain, cause, reason } of plan.withheld) {
    if (cause === 'unproven' || cause === 'manifest') yield { domain, state, reason };
  }
}

/** What is left alone on purpose, and what that keeps from running. */
function* holdingsOf({ plan, report, frozen }: Looked): Generator<Finding> {
  for (const { domain, kind, name } of frozen) {
    const reason = `${kind} ${name} keeps being changed back by somebody else`;
    yield { domain, state: 'frozen', reason };
  }
  for (const { domain, reason } of withholdRefused(plan).withheld) {
    yield { domain, state: 'withheld', reason };
  }
  for (const { domain, reason } of report?.skipped ?? []) yield { domain, state: 'failing', reason };
}

function countActions(changes: readonly Change[]): DomainStatus['pending'] {
  const counts = { ...NOTHING };
  for (const { action } of changes) counts[action] += 1;
  return counts;
}
