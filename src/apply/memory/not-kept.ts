import { changeKey, itemKey } from '../../model/item-key.ts';
import type { Change } from '../../model/plan.ts';
import { managedPart } from '../../plan/diff/settings.ts';
import { signature, type Wanted } from '../../plan/diff/signature.ts';
import type { Run } from '../run.ts';

/** A change that the service accepted and does not show. */
export interface NotKept {
  readonly change: Change;
  /** Signature of what the service shows instead, once that is known to last; null: the next run sends the change again. */
  readonly shown: string | null;
}

/** Two reads so far apart must agree before a difference counts as the service's own. Milliseconds. */
const LASTS_AFTER = 10_000;

/**
 * What the service accepted as it is desired now and shows otherwise. An update that its answer confirmed is sent once more,
 * for somebody else may have changed it since; an addition is not, lest there be two.
 */
export function isNotKept(run: Run, change: Change): boolean {
  const done = run.ledger.done.get(itemKey(change));
  if (done === undefined || changeKey(done.change) !== changeKey(change)) return false;
  return !done.isKept || change.action === 'add';
}

/** Of the changes that a read shows as open those that are not kept. `readAt`: when the read began, monotonic milliseconds. */
export function findNotKept(run: Run, open: readonly Change[], readAt: number): readonly NotKept[] {
  const { sightings } = run;
  const before = new Map(sightings);
  sightings.clear();
  for (const change of open) {
    const text = shownText(run, change);
    const seen = before.get(itemKey(change));
    if (text === null) continue;
    sightings.set(itemKey(change), seen?.text === text ? seen : { text, at: run.ports.clock.monotonic() });
  }
  return open
    .filter((change) => isNotKept(run, change))
    .map((change) => ({ change, shown: lastingText(run, change, readAt) }));
}

/**
 * A value that the service put in place of ours and that stays: not the one from before the run, which may only be a listing
 * that is late or a change that was not made.
 */
function lastingText({ ledger, sightings }: Run, change: Change, readAt: number): string | null {
  const sighting = sightings.get(itemKey(change));
  const first = ledger.first.get(itemKey(change));
  if (sighting === undefined || first === undefined || readAt - sighting.at < LASTS_AFTER) return null;
  const fields = change.fields.filter((field) => field !== 'rank');
  const isOld = fields.some((field) => textOf(change.observed, field) === textOf(first.observed, field));
  return fields.length === 0 || isOld ? null : sighting.text;
}

function shownText(run: Run, change: Change): string | null {
  const shown = shownState(run, change);
  return shown === null ? null : signature(shown, run.input.desired.references);
}

/** Null of what is not there, is to go, or cannot be read. */
function shownState({ input }: Run, change: Change): Wanted | null {
  if (change.observed === null || change.desired === null) return null;
  switch (change.kind) {
    case 'domain': {
      const entry = input.desired.domains.get(change.domain);
      const managed = entry?.state === 'present' ? managedPart(entry, change.observed) : null;
      return managed === null ? null : { kind: 'domain', state: managed };
    }
    case 'alias':
      return { kind: 'alias', state: change.observed };
    case 'rule':
      return { kind: 'rule', state: change.observed };
    case 'credential':
      return null;
  }
}

/** A field of a state, equal for equal values. */
function textOf(state: Change['observed'], field: string): string | null {
  if (state === null) return null;
  const parts: Readonly<Record<string, unknown>> =
    'match' in state ? { ...state, ...state.match } : { ...state };
  const value = parts[field];
  return JSON.stringify(field === 'forward' ? (value as readonly string[]).toSorted() : (value ?? null));
}
