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
  /** Signature of what the service shows instead, once that is known to last; null: the next run sends the change again. */
  readonly shown: string | null;
}

/** What an item was first seen to show, of what it shows to this day. */
interface Sighting {
  readonly text: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** What items that differ show, by item; kept from round to round. */
export type Sightings = Map<string, Sighting>;

/** Two reads so far apart must agree before a difference counts as the service's own. Milliseconds. */
const LASTS_AFTER = 10_000;

/**
 * What the service accepted as it is desired now and shows otherwise. An update that its answer confirmed is sent once more,
 * for somebody else may have changed it since; an addition is not, lest there be two.
 */
export function isNotKept(ledger: Ledger, change: Change): boolean {
  const done = ledger.done.get(itemKey(change));
  if (done === undefined || changeKey(done.change) !== changeKey(change)) return false;
  return !done.isKept || change.action === 'add';
}

/** Of the changes that a read shows as open those that are not kept. */
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
  /** Of the read, monotonic milliseconds. */
  readonly began: number;
  readonly ended: number;
}

/**
 * Whether the service put a value in place of ours: not the one from before the run, which may only be a listing
 * that is late or a change that was not made.
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

/** Null of what is not there, is to go, or cannot be read. */
function shownState({ domains }: Desired, change: Change): ItemState | null {
  if (change.observed === null || change.desired === null) return null;
  if (Object.values(KINDS[change.kind].fields).every(({ codec }) => codec.isSecret)) return null;
  if (change.kind !== 'domain') return sideOf(change, 'observed');
  const entry = domains.get(change.domain);
  return entry?.state === 'present' ? { kind: 'domain', state: managedPart(entry, change.observed) } : null;
}
