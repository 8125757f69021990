import { changeKey, itemKey } from '../../../core/kinds/item-key.ts';
import type { Change } from '../../../core/model/plan.ts';
import type { Desired } from '../../../core/model/desired.ts';
import { managedPart } from '../../../core/kinds/domain/fields.ts';
import { sideOf, signature, type ItemState } from '../../../core/kinds/items.ts';
import type { Ledger } from '../ledger.ts';
import { differingFields } from '../../../core/fields/fields.ts';
import { KINDS } from '../../../core/kinds/registry.ts';

/** A change that the service accepted and does not show. */
export interface NotKept {
  readonly change: Change;
  /**
   * Signature of the value that the service shows instead, once that value lasts. null makes the next run send the
   * change again.
   */
  readonly shown: string | null;
}

/** First sighting of the value that an item still shows. */
interface Sighting {
  readonly text: string;
  /** Time in monotonic milliseconds. */
  readonly at: number;
}

/** Sightings of items that differ, by item; kept from round to round. */
export type Sightings = Map<string, Sighting>;

/** Minimum time between two equal reads before a difference counts as the service's own. Milliseconds. */
const LASTS_AFTER = 10_000;

/**
 * True if the service accepted the change as currently desired and shows something else. An update that its answer
 * confirmed is sent once more, because it may have been changed outside this run since. An addition is not, because
 * it could create a second item.
 */
export function isNotKept(ledger: Ledger, change: Change): boolean {
  const done = ledger.done.get(itemKey(change));
  if (done === undefined || changeKey(done.change) !== changeKey(change)) return false;
  return !done.isKept || change.action === 'add';
}

/** Returns those open changes of a read that the service did not keep. */
export function findNotKept(
  open: readonly Change[],
  sightings: Sightings,
  { ledger, desired, began, ended }: Recheck,
): readonly NotKept[] {
  const before = new Map(sightings);
  sightings.clear();
  for (const change of open) {
    const text = shownText(desired, change);
    const seen = before.get(itemKey(change));
    if (text === null) continue;
    sightings.set(itemKey(change), seen?.text === text ? seen : { text, at: ended });
  }
  return open
    .filter((change) => isNotKept(ledger, change))
    .map((change) => {
      const sighting = sightings.get(itemKey(change));
      const isLasting = sighting !== undefined && began - sighting.at >= LASTS_AFTER;
      return { change, shown: isLasting && isOtherThanBefore(ledger, change) ? sighting.text : null };
    });
}

export interface Recheck {
  readonly ledger: Ledger;
  readonly desired: Desired;
  /** Start of the read, in monotonic milliseconds. */
  readonly began: number;
  readonly ended: number;
}

/**
 * True if the service replaced our value with its own. The value from before the run does not count: the listing may
 * be late, or the change was not made.
 */
function isOtherThanBefore(ledger: Ledger, change: Change): boolean {
  const first = ledger.first.get(itemKey(change));
  if (first === undefined) return false;
  const rows = KINDS[change.kind].fields;
  const fields = change.fields.filter((field) => rows[field]?.derived !== true);
  const [now, before] = [change.observed, first.observed];
  if (now === null || before === null) return fields.length > 0 && now !== before;
  const differing = differingFields(rows, before, now);
  return fields.length > 0 && fields.every((field) => differing.includes(field));
}

function shownText(desired: Desired, change: Change): string | null {
  const shown = shownState(desired, change);
  return shown === null ? null : signature(shown, desired.references);
}

/** Returns null for an item that does not exist, is to be deleted, or cannot be read. */
function shownState({ domains }: Desired, change: Change): ItemState | null {
  if (change.observed === null || change.desired === null) return null;
  if (Object.values(KINDS[change.kind].fields).every(({ codec }) => codec.isSecret)) return null;
  if (change.kind !== 'domain') return sideOf(change, 'observed');
  const entry = domains.get(change.domain);
  return entry?.state === 'present' ? { kind: 'domain', state: managedPart(entry, change.observed) } : null;
}
