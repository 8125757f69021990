import { plainCommand, type CommandLine } from '../../../core/model/text/command-line.ts';
import type { CompletedRun, DomainStatus } from '../../../core/model/status/daemon.ts';
import type { GuardFinding, Withheld } from '../../../core/model/plan.ts';
import { writeAllowance } from '../../../core/plan/policy.ts';
import { withheldReason, withholdRefused } from '../../../core/plan/withhold.ts';

/** Reason why a domain is not in sync, and its remedy. */
export interface DomainFinding extends Pick<DomainStatus, 'source' | 'resolve'> {
  readonly domain: string;
  readonly state: 'failing' | 'frozen' | 'withheld';
  readonly reason: string;
}

export interface FindingOptions {
  readonly command?: CommandLine | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Returns the first reason why each domain is not in sync. */
export function findingsOf(
  run: CompletedRun,
  { command = plainCommand, now }: FindingOptions,
): ReadonlyMap<string, DomainFinding> {
  const findings = new Map<string, DomainFinding>();
  for (const finding of [...failuresOf(run), ...unplannedIn(run), ...withheldOf(run, { command, now })]) {
    if (!findings.has(finding.domain)) findings.set(finding.domain, finding);
  }
  return findings;
}

const RETRIED = 'fwdsync retries by itself';

/** Yields failures, which may succeed next time. */
function* failuresOf({ report, unset, plan }: CompletedRun): Generator<DomainFinding> {
  const state = 'failing';
  for (const { domain, message, source } of [...(report?.failed ?? []), ...(report?.notKept ?? [])]) {
    yield { domain, state, reason: message, source, resolve: 'change the entry, or wait: fwdsync retries' };
  }
  for (const { domain, name, source } of unset) {
    const { message: reason, hint: resolve } = plan.problems.find((problem) => problem.source === source) ?? {
      message: `the password of credential ${name} is not set, too short or refused`,
      hint: 'set the password that the entry refers to',
    };
    yield { domain, state, reason, source, resolve };
  }
}

/** Yields domains that could not be read, or whose entries do not fit the account. */
function* unplannedIn({ plan }: CompletedRun): Generator<DomainFinding> {
  const state = 'failing';
  for (const { domain, cause, reason } of plan.withheld) {
    if (cause === 'unproven') yield { domain, state, reason, source: null, resolve: RETRIED };
    if (cause !== 'manifest') continue;
    const problem = plan.problems.find(({ message }) => message === reason);
    yield { domain, state, reason, source: problem?.source ?? null, resolve: problem?.hint ?? null };
  }
}

/** Yields changes that are withheld on purpose, and the changes that these keep from running. */
function* withheldOf({ plan, report, frozen }: CompletedRun, remedy: Remedy): Generator<DomainFinding> {
  for (const { domain, kind, name, source } of frozen) {
    const reason = `${kind} ${name} keeps being changed back by others`;
    const resolve = 'find out who changes it; then change the entry, or send SIGHUP to try again';
    yield { domain, state: 'frozen', reason, source, resolve };
  }
  const allowances = new Map(plan.guards.map((guard) => [withheldReason(guard), guard]));
  for (const { domain, reason, cause } of withholdRefused(plan).withheld) {
    const resolve = resolveWithheld({ domain, cause }, allowances.get(reason), remedy);
    yield { domain, state: 'withheld', reason, source: null, resolve };
  }
  for (const { domain, reason, source } of report?.skipped ?? [])
    yield { domain, state: 'failing', reason, source, resolve: RETRIED };
}

/** Time that an allowance of the manifest lasts, long enough for a review and a release. */
const ALLOWED_MS = 7 * 86_400_000;

type Remedy = Required<FindingOptions> & { readonly command: CommandLine };

function resolveWithheld(
  { domain, cause }: Pick<Withheld, 'domain' | 'cause'>,
  guard: Pick<GuardFinding, 'allow' | 'allowance'> | undefined,
  { command, now }: Remedy,
): string | null {
  if (cause === 'tombstone') return `\`${command(`apply --allow-domain-delete ${domain}`)}\` deletes it`;
  if (guard === undefined || guard.allow === null || guard.allowance === null) return null;
  const until = new Date(now + ALLOWED_MS).toISOString().slice(0, 10);
  const line = writeAllowance(guard.allowance, until);
  return `if it is intended: \`${command(`apply ${guard.allow}`)}\`, or in the manifest, below guards.allow: ${line}`;
}
