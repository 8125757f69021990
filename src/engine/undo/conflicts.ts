import type { RunEntry } from '../../core/model/history/entries.ts';
import { plural } from '../../core/model/names.ts';
import { compareSources, showSource, type Source } from '../../core/model/manifest/problem.ts';
import { describeCommit } from './later-changes.ts';
import type { RunItem } from './run-items.ts';

/**
 * Says which of the undone items the manifest of the run wants, and where: nothing was applied to them since, so that the next run
 * makes the same changes again. An undo has no manifest.
 */
export function describeConflicts(
  undone: readonly RunItem[],
  { command, commit }: RunEntry,
): readonly string[] {
  if (command === 'undo') return [];
  const manifest = `the manifest${commit === null ? '' : ` at ${describeCommit(commit)}`}`;
  const written = undone.filter(isWritten).toSorted((a, b) => compareSources(a.source, b.source));
  const places = written.map((item) => `${showSource(item.source)} ${nameOf(item)}`);
  const sentences =
    places.length === 0 ? [] : [`${manifest} still wants what this undoes: ${listOf(places)}; ${AGAIN}`];
  const pruned = undone.filter((item) => !isWritten(item) && item.via === null);
  if (pruned.length === 0) return sentences;
  const names = listOf(pruned.map(nameOf));
  const what = `${manifest} still does not name ${plural(pruned.length, 'item')}`;
  return [...sentences, `${what} that this undoes: ${names}; ${AGAIN}`];
}

const AGAIN = 'the next apply makes the same changes again unless the manifest is reverted';

/** More are counted: `fwdsync history RUN` has them all. */
const MOST_NAMED = 10;

function listOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more <= 0 ? names.join(', ') : `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more`;
}

function isWritten(item: RunItem): item is RunItem & { readonly source: Source } {
  return item.source !== null;
}

function nameOf({ kind, domain, name }: RunItem): string {
  return kind === 'domain' ? `domain ${name}` : `${kind} ${domain}/${name}`;
}
