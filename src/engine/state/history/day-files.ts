import { listFiles } from '../files.ts';
import type { OwnFiles } from '../own-files.ts';

/** One file of a history. Files are in the order of writing when they are sorted by their order. */
export interface DayFile {
  /** The name without its ending: a day (UTC), or two where the first one lies ahead: `2099-01-01.2026-09-02`. */
  readonly order: string;
  /** The day on which the file was written, as far as is known. */
  readonly day: string;
}

const NAME = /^(\d{4}-\d{2}-\d{2}(?:\.\d{4}-\d{2}-\d{2})?)\.jsonl$/;
const DAY_MS = 86_400_000;

export function dayFileName(order: string): string {
  return `${order}.jsonl`;
}

/** Lists the files of a history, the newest first. */
export async function listDayFiles(
  files: OwnFiles,
  directory: string,
  now: number,
): Promise<readonly DayFile[]> {
  const names = await listFiles(files, directory);
  const orders = names.flatMap((name) => NAME.exec(name)?.[1] ?? []).toSorted((a, b) => (a < b ? 1 : -1));
  const latest = latestDay(now);
  let later = dayOf(now);
  return orders.map((order) => {
    const [day = '', written] = order.split('.');
    // A day that lies ahead says nothing: its file was written before the one that follows it.
    if (day <= latest) later = day;
    else if (written !== undefined && written <= later) later = written;
    return { order, day: later };
  });
}

/**
 * Returns the file to write to: the one of today or of the latest line, and never one before the newest, even if the
 * clocks of the machines that share the directory differ. After a file of a future day, each day gets its own file,
 * sorted behind it.
 */
export function nextDayFile(
  newest: DayFile | undefined,
  { now, latestLine }: { readonly now: number; readonly latestLine: string },
): string {
  const ahead = latestDay(now);
  const line = latestLine.slice(0, 10);
  const own = line > dayOf(now) && line <= ahead ? line : dayOf(now);
  if (newest === undefined) return own;
  const [day = ''] = newest.order.split('.');
  const next = day > ahead ? `${day}.${own}` : own;
  return newest.order > next ? newest.order : next;
}

export function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

/** Returns the latest day that is believed: the clock of another machine may be ahead by as much. */
export function latestDay(now: number): string {
  return dayOf(now + DAY_MS);
}
