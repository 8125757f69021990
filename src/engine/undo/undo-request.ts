import { digestOf } from '../../core/manifest/digest.ts';
import type { Desired, DesiredDomain, PresentDomain } from '../../core/model/desired.ts';
import type { RunEntry } from '../../core/model/history/entries.ts';
import { KINDS } from '../../core/kinds/registry.ts';
import type { SectionKind } from '../../core/model/kinds.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { StateStore } from '../state/store.ts';
import type { Policy } from '../../core/plan/policy.ts';
import { manifestSize } from '../../core/plan/size.ts';
import type { PlanRequest, ResolvedDesired, ResolveDesiredInput } from '../plan-once.ts';
import { describeConflicts } from './conflicts.ts';
import { readLaterChanges } from './later-changes.ts';
import { NOWHERE, readOldValues } from './old-values.ts';
import { desiredDomain } from './restore.ts';
import { reverse, type Reversed, type ReverseInput } from './reverse.ts';
import { readRunItems, type RunItem } from './run-items.ts';

/** Domains up to this number are asked for one by one; more are listed. */
const FEW_DOMAINS = 10;

/** Reads what a run did, and returns the request that undoes it. */
export async function undoRequest(
  state: StateStore,
  run: RunEntry,
  how: Pick<Policy, 'allowances' | 'command'>,
): Promise<PlanRequest> {
  const items = await readRunItems(state, { run: run.run });
  const desired = desiredToRead(items, run);
  const mayAdd = items.some(({ kind, left }) => kind === 'domain' && left.includes(null));
  return {
    desired,
    manifestSize: manifestSize(desired),
    manifestKind: 'generated',
    domains: mayAdd || desired.domains.size > FEW_DOMAINS ? undefined : [...desired.domains.keys()],
    policy: undoPolicy(run, how),
    resolveDesired: (read) => resolveUndo(run, read),
  };
}

/** Returns the policy of an undo. */
export function undoPolicy(
  { account }: Pick<RunEntry, 'account'>,
  how: Pick<Policy, 'allowances' | 'command'>,
): Policy {
  return {
    guards: NO_GUARDS,
    ...how,
    account,
    accountRequired: false,
    rotate: [],
    domainDeletes: 'allowed',
    purpose: 'undo',
  };
}

/** Returns what must be read of the account to undo a run: as much as if nothing had been changed since. */
function desiredToRead(items: readonly RunItem[], run: RunEntry): Desired {
  const domains = new Map<DomainName, DesiredDomain>();
  for (const [domain, own] of Map.groupBy(items, (item) => item.domain)) {
    const isAdded = own.some(({ kind, original }) => kind === 'domain' && original === null);
    domains.set(domain, isAdded ? { state: 'absent', domain, source: NOWHERE } : withSections(domain, own));
  }
  return desiredOf(domains, run);
}

function withSections(domain: DomainName, items: readonly RunItem[]): PresentDomain {
  const kinds = items.map(({ kind }) => kind).filter((kind): kind is SectionKind => kind !== 'domain');
  const sections = kinds.map((kind) => {
    const entries = KINDS[kind].entries === 'map' ? new Map() : [];
    return [KINDS[kind].section, { prune: false, ignore: [], entries }];
  });
  return { ...desiredDomain(domain, []), ...Object.fromEntries(sections) };
}

/** Returns the desired state that undoes the run, from the current account. Changes made since the run are kept. */
async function resolveUndo(run: RunEntry, read: ResolveDesiredInput): Promise<ResolvedDesired> {
  const items = await readRunItems(read.state, { run: run.run });
  const later = await readLaterChanges(read.state.history, run);
  const { desired, leftAlone, undone } = await reverseRun({ items, account: run.account, later }, read);
  return { desired, leftAlone, notes: describeConflicts(undone, run) };
}

/** Returns what reverses a run, and what stays as it is. */
export async function reverseRun(
  { items, account, later }: Pick<ReverseInput, 'items' | 'later'> & Pick<RunEntry, 'account'>,
  { observed, prior, state, resolvePassword: resolve }: ResolveDesiredInput,
): Promise<Pick<Reversed, 'leftAlone' | 'undone'> & { readonly desired: Desired }> {
  const print = await state.openValuePrints();
  const oldValues = await readOldValues(items, { print, resolve });
  const { domains, ...rest } = reverse({ items, observed, later, prior, print, oldValues });
  return { ...rest, desired: { ...desiredOf(domains, { account }), references: oldValues.references } };
}

/** No number of changes speaks against an undo: the settings of guards say nothing here. */
const NO_GUARDS: Desired['guards'] = { maxDeletes: 0, maxDeletePercent: 0, allow: [] };

function desiredOf(domains: Desired['domains'], { account }: Pick<RunEntry, 'account'>): Desired {
  const asked = { api: { account }, guards: NO_GUARDS, domains };
  return {
    ...asked,
    files: [],
    digest: digestOf(asked),
    references: new Map(),
    lint: { off: [], silenced: 0 },
  };
}
