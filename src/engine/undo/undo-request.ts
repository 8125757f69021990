import { digestOf } from '../../core/manifest/digest.ts';
import type { Desired, DesiredDomain, PresentDomain } from '../../core/model/desired.ts';
import type { RunEntry } from '../../core/model/history/entries.ts';
import { KINDS } from '../../core/kinds/registry.ts';
import type { SectionKind } from '../../core/model/kinds.ts';
import type { DomainName } from '../../core/model/names.ts';
import { readItems, type RecordedItem } from '../state/history/recorded.ts';
import type { StateStore } from '../state/store.ts';
import { manifestSize } from '../../core/plan/size.ts';
import type { PlanRequest, ResolvedDesired, ResolveDesiredInput } from '../plan-once.ts';
import { readLaterChanges } from './later-changes.ts';
import { NOWHERE, readOldValues } from './old-values.ts';
import { desiredDomain } from './restore.ts';
import { reverse } from './reverse.ts';
import { itemsOfRun, type RunItem } from './run-items.ts';
import { stillWanted } from './still-wanted.ts';

/** All that the history has of the items of a run. */
export async function readRunItems({ history }: StateStore, run: string): Promise<readonly RunItem[]> {
  const items: RecordedItem[] = [];
  for await (const item of readItems(history, { run })) items.push(item);
  return itemsOfRun(items);
}

/** What has to be read of the account before it can be said what reverses a run: as if nobody had changed anything since. */
export function readForUndo(items: readonly RunItem[], run: RunEntry): Desired {
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

/** So many domains are asked for one by one; more are listed. */
const FEW_DOMAINS = 10;

/** The request that reverses a run; `desired` is that of `readForUndo`. */
export function undoRequest(
  run: RunEntry,
  items: readonly RunItem[],
  { desired, policy }: Pick<PlanRequest, 'desired' | 'policy'>,
): PlanRequest {
  const mayAdd = items.some(({ kind, left }) => kind === 'domain' && left.includes(null));
  return {
    desired,
    manifestSize: manifestSize(desired),
    manifestKind: 'snapshot',
    domains: mayAdd || desired.domains.size > FEW_DOMAINS ? undefined : [...desired.domains.keys()],
    policy: { ...policy, purpose: 'undo' },
    resolveDesired: (read) => resolveUndo(run, read),
  };
}

/** What is wanted of the account as it is now, so that what the run did and nobody changed since is undone. */
async function resolveUndo(
  run: RunEntry,
  { observed, prior, state, resolvePassword: resolve }: ResolveDesiredInput,
): Promise<ResolvedDesired> {
  const items = await readRunItems(state, run.run);
  const print = await state.openValuePrints();
  const oldValues = await readOldValues(items, { print, resolve });
  const later = await readLaterChanges(state.history, run);
  const { domains, leftAlone, undone } = reverse({ items, observed, later, prior, print, oldValues });
  return {
    desired: { ...desiredOf(domains, run), references: oldValues.references },
    leftAlone,
    notes: stillWanted(undone, run),
  };
}

/** No number of changes speaks against an undo: the settings of guards say nothing here. */
const NO_GUARDS: Desired['guards'] = { maxDeletes: 0, maxDeletePercent: 0, allow: [] };

function desiredOf(domains: Desired['domains'], { account }: RunEntry): Desired {
  const asked = { api: { account }, guards: NO_GUARDS, domains };
  return {
    ...asked,
    files: [],
    digest: digestOf(asked),
    references: new Map(),
    lint: { off: [], silenced: 0 },
  };
}
