import type { Desired } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import type { Observed } from '../../model/observed.ts';
import type { Warning } from '../../model/plan.ts';
import { compareText } from '../sorting.ts';

/** Above so many comparisons it is a move of a whole portfolio, in which a slip of the pen is found otherwise. */
const MOST_COMPARISONS = 2_000_000;
const NEAR = 2;

/** Domains that would be added although a live one is called almost the same: perhaps a slip of the pen. */
export function similarDomainWarnings(desired: Desired, observed: Observed): readonly Warning[] {
  const added = [...desired.domains.values()].filter(
    (entry) => entry.state === 'present' && !observed.domains.has(entry.domain),
  );
  if (added.length * observed.domains.size > MOST_COMPARISONS) return [];
  const live = [...observed.domains.keys()].sort(compareText);
  return added.flatMap(({ domain, source }) => {
    const similar = live.find((other) => isNear(domain, other));
    if (similar === undefined) return [];
    const message = `${domain} would be added, while the account has ${similar}`;
    return [{ code: 'similar-domain', message, hint: 'check the spelling of the name', source }];
  });
}

function isNear(a: DomainName, b: DomainName): boolean {
  return Math.abs(a.length - b.length) <= NEAR && distance(a, b) <= NEAR;
}

/**
 * Letters to insert, delete, replace or swap with their neighbour to turn one text into the other (optimal string
 * alignment); stops as soon as it is certainly not near.
 */
function distance(a: string, b: string): number {
  let rows: Rows = { before: [], last: Array.from({ length: b.length + 1 }, (_, column) => column) };
  for (let line = 1; line <= a.length; line += 1) {
    const next = nextRow(a, b, line, rows);
    if (Math.min(...next) > NEAR && Math.min(...rows.last) > NEAR) return NEAR + 1;
    rows = { before: rows.last, last: next };
  }
  return rows.last[b.length] ?? 0;
}

interface Rows {
  readonly before: readonly number[];
  readonly last: readonly number[];
}

/** Distances of the first `line` letters of `a` from every beginning of `b`. */
function nextRow(a: string, b: string, line: number, { before, last }: Rows): readonly number[] {
  const next = [line];
  for (let column = 1; column <= b.length; column += 1) {
    const replaced = (last[column - 1] ?? 0) + (a[line - 1] === b[column - 1] ? 0 : 1);
    const deleted = (last[column] ?? 0) + 1;
    const inserted = (next[column - 1] ?? 0) + 1;
    const swapped = isSwap(a, b, line, column) ? (before[column - 2] ?? 0) + 1 : Infinity;
    next[column] = Math.min(replaced, deleted, inserted, swapped);
  }
  return next;
}

function isSwap(a: string, b: string, line: number, column: number): boolean {
  if (line < 2 || column < 2) return false;
  return a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1];
}
