import type { AccountStatus, Cause, DaemonEvent, DomainStatus, RunResult } from '../../model/daemon.ts';
import type { ManifestSize } from '../../model/prior.ts';
import type { DomainName } from '../../model/names.ts';
import { domainStates, failingStates, UNKNOWN } from './domain-states.ts';
import type { ManifestLook } from './manifest-source.ts';

/** How one account stands, kept up to date for people. */
export interface AccountBook {
  /** A manifest was loaded that changes the desired state of these domains. */
  accepted(look: Extract<ManifestLook, { kind: 'good' }>, changed: readonly DomainName[]): void;
  refused(look: Extract<ManifestLook, { kind: 'bad' }>): void;
  /** Takes in what came of a run; the domains that are to be tried again. */
  finished(run: FinishedRun): Failing;
  domainsIn(state: DomainStatus['state']): readonly DomainName[];
  status(): BookStatus;
}

export type BookStatus = Pick<AccountStatus, 'name' | 'manifest' | 'read' | 'run' | 'domains'>;

export interface FinishedRun {
  readonly run: string;
  readonly cause: Cause;
  /** The domains that it was about. */
  readonly names: readonly DomainName[];
  readonly seconds: number;
  readonly result: RunResult;
}

/** `all`: nothing came of the run. */
export type Failing = readonly DomainName[] | 'all';

export interface BookOptions {
  readonly name: string;
  readonly now: () => number;
  readonly emit: (event: DaemonEvent) => void;
}

const NOT_READ: AccountStatus['manifest'] = {
  state: 'not-read',
  inForce: false,
  message: null,
  problems: [],
};

export function createAccountBook({ name, now, emit }: BookOptions): AccountBook {
  let status: Omit<BookStatus, 'domains'> = { name, manifest: NOT_READ, read: null, run: null };
  let domains: ReadonlyMap<DomainName, DomainStatus> = new Map();
  return {
    accepted({ desired, size, problems }, changed) {
      const { references } = desired;
      const unknown = new Set(changed);
      const kept = (domain: DomainName): DomainStatus =>
        (unknown.has(domain) ? undefined : domains.get(domain)) ?? UNKNOWN;
      domains = new Map([...desired.domains.keys()].map((domain) => [domain, kept(domain)]));
      status = { ...status, manifest: { state: 'accepted', inForce: true, message: null, problems } };
      emit({ account: name, kind: 'manifest-accepted', ...countsOf(size), problems, references });
    },
    refused({ message, problems }) {
      const { inForce } = status.manifest;
      status = { ...status, manifest: { state: 'refused', inForce, message, problems } };
      emit({
        account: name,
        kind: 'manifest-refused',
        message,
        problems,
        inForce: inForce ? 'last-good' : 'none',
      });
    },
    finished({ names, result, ...run }) {
      const at = now();
      const states =
        result.kind === 'looked'
          ? domainStates(names, result, at)
          : failingStates(names, result.message, domains);
      domains = new Map([...domains].map(([domain, before]) => [domain, states.get(domain) ?? before]));
      const read = readStatus(result, at, status.read);
      const { run: id, cause, seconds } = run;
      status = { ...status, read, run: { id, cause, at, seconds, outcome: outcomeOf(result) } };
      emit({ account: name, kind: 'run-finished', ...run, result });
      if (result.kind === 'failed') return 'all';
      if (result.report !== null && result.report.stopped !== null) return names;
      return names.filter((domain) => states.get(domain)?.state === 'failing');
    },
    domainsIn: (state) => [...domains].filter(([, entry]) => entry.state === state).map(([domain]) => domain),
    status: () => ({ ...status, domains }),
  };
}

/** The same as before where the run says nothing of whether the account can be read. */
function countsOf({ domains, entries }: ManifestSize): { domains: number; entries: number } {
  return { domains: domains.size, entries };
}

function readStatus(result: RunResult, at: number, before: AccountStatus['read']): AccountStatus['read'] {
  if (result.kind === 'looked') return { at, ok: true, message: null, goodAt: at };
  if (result.what !== 'read' && result.what !== 'key') return before;
  return { at, ok: false, message: result.message, goodAt: before?.goodAt ?? null };
}

function outcomeOf(result: RunResult): string {
  if (result.kind === 'failed') return 'failed';
  if (result.report !== null) return result.report.outcome;
  return result.plan.changes.length === 0 ? 'unchanged' : 'not-applied';
}
