import { keptItem } from './apply/history/kept-items.ts';
import type { Concealment } from '../core/fields/codec.ts';
import { historyKeys, accountEntryKey } from '../core/kinds/item-key.ts';
import type { HistoryEntry, HistoryItem } from '../core/model/history/entries.ts';
import type { DomainName } from '../core/model/names.ts';
import type { Action, Change, Plan } from '../core/model/plan.ts';
import type { Report } from '../core/model/report.ts';
import { readDrift } from './state/history/recorded.ts';
import type { StateStore } from './state/store.ts';
import type { Planned } from './plan-once.ts';
import { sendsSecret } from '../core/kinds/items.ts';

/**
 * Records changes made outside fwdsync: when they are first found, when they are found changed, and when they end.
 */
export interface DriftLog {
  /** Records the drift in a plan, for the domains that the plan covers and that were read. */
  readonly found: (state: StateStore, planned: Planned, drift: readonly Change[]) => Promise<void>;
  /** Records the drift that a run corrected. */
  readonly corrected: (
    state: StateStore,
    run: { readonly id: string; readonly report: Report },
  ) => Promise<void>;
}

/**
 * Returns the changes of a plan that reverse changes made outside fwdsync. `inSync` holds the domains that were in
 * sync at the last read.
 */
export function driftOf(
  { changes }: Pick<Plan, 'changes'>,
  inSync: ReadonlySet<DomainName>,
): readonly Change[] {
  return changes.filter(({ reason, domain }) => reason === 'drift' || inSync.has(domain));
}

/** Last known drift of each item, by item key. */
type OpenDrift = Map<string, FoundDrift>;

interface FoundDrift {
  readonly domain: string;
  /** Time of the item's latest line. */
  readonly at: string;
  readonly seenAt: string;
  readonly shown: string;
}

/**
 * Creates a drift log, which reads the open drift of an account once. The log is only an aid: lines that cannot be
 * written are dropped.
 */
export function createDriftLog(): DriftLog {
  const known = new Map<string, Promise<OpenDrift>>();
  const openDrift = (state: StateStore): Promise<OpenDrift> => {
    const open = known.get(state.place) ?? readOpen(state);
    known.set(state.place, open);
    return open;
  };
  return {
    async found(state, planned, drift) {
      const open = await openDrift(state);
      if (open.size === 0 && drift.length === 0) return;
      const print = await state.openValuePrints();
      if (print === null) return;
      const at = new Date(planned.input.now).toISOString();
      const items = drift
        .filter((change) => !sendsSecret(change))
        .map((change) => driftItem(change, { references: planned.references, print }));
      const lines = [...linesOfFound(open, items, at), ...linesOfEnded(open, { items, planned, at })];
      if (lines.length > 0) await state.history.append(lines, 'written');
    },
    async corrected(state, { id, report }) {
      const open = await openDrift(state);
      if (open.size === 0) return;
      const at = new Date(report.finishedAt).toISOString();
      const lines = report.applied.flatMap(({ domain, kind, name }) =>
        endOf(open, accountEntryKey(domain as DomainName, kind, name), { at, run: id }),
      );
      if (lines.length > 0) await state.history.append(lines, 'written');
    },
  };
}

/** Returns lines for drift that is new or has changed since it was last found. */
function linesOfFound(open: OpenDrift, items: readonly HistoryItem[], now: string): readonly HistoryEntry[] {
  return items.flatMap((item): readonly HistoryEntry[] => {
    const keys = historyKeys(item);
    const shown = JSON.stringify(item.to);
    const before = open.get(keyOf(item));
    if (before?.shown === shown) return [];
    const at = notBefore(before, now);
    const seenAt = before?.seenAt ?? at;
    open.set(keyOf(item), { domain: item.domain, at, seenAt, shown });
    return [{ entry: 'drift', at, seenAt, keys, ...item }];
  });
}

function endOf(
  open: OpenDrift,
  key: string,
  { at, run }: { readonly at: string; readonly run: string | null },
): readonly HistoryEntry[] {
  const before = open.get(key);
  if (before === undefined) return [];
  open.delete(key);
  return [{ entry: 'drift-end', at: notBefore(before, at), keys: [key], run }];
}

/**
 * Keeps the end of a drift from being earlier than its start, even if the clock was set back. A search from the start
 * then finds the end.
 */
function notBefore(before: FoundDrift | undefined, at: string): string {
  return before !== undefined && before.at > at ? before.at : at;
}

/** Returns lines for drift that was found before and is gone now. */
function linesOfEnded(
  open: OpenDrift,
  {
    items,
    planned,
    at,
  }: { readonly items: readonly HistoryItem[]; readonly planned: Planned; readonly at: string },
): readonly HistoryEntry[] {
  const found = new Set(items.map(keyOf));
  const read = domainsRead(planned);
  const ended = [...open].filter(([key, { domain }]) => !found.has(key) && read.has(domain));
  return ended.flatMap(([key]) => endOf(open, key, { at, run: null }));
}

function keyOf({ domain, kind, name }: HistoryItem): string {
  return accountEntryKey(domain, kind, name);
}

async function readOpen({ history }: StateStore): Promise<OpenDrift> {
  const open: OpenDrift = new Map();
  for await (const { entry, endedAt } of readDrift(history)) {
    const key = entry.keys[0];
    if (endedAt !== null || key === undefined) continue;
    const { domain, at, seenAt, to } = entry;
    open.set(key, { domain, at, seenAt, shown: JSON.stringify(to) });
  }
  return open;
}

/** Returns the outside change itself, which is the reverse of the change that corrects it. */
function driftItem(change: Change, concealment: Concealment): HistoryItem {
  const { observed, desired } = change;
  const action: Action = observed === null ? 'delete' : desired === null ? 'add' : 'update';
  return keptItem({ ...change, action }, concealment, { from: desired, to: observed });
}

function domainsRead({ request, input, plan }: Planned): ReadonlySet<string> {
  const read = new Set<string>(request.desired.domains.keys());
  for (const name of input.observed.unproven.keys()) read.delete(name);
  for (const { domain } of plan.withheld.filter(
    ({ cause }) => cause === 'unproven' || cause === 'manifest',
  )) {
    read.delete(domain);
  }
  return read;
}
