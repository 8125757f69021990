import { didYouMean } from '../../../core/manifest/read/suggest.ts';
import type { ReplaceTerms } from '../../../core/manifest/replace/plan-replacement.ts';
import { parseDestination } from '../../../core/manifest/resolve/values/destination-text.ts';
import { isSameDestination } from '../../../core/manifest/who/wanted.ts';
import { normaliseDestination } from '../../../core/model/destinations.ts';
import { quote } from '../../../core/model/names.ts';
import { usageError } from '../../exit.ts';

/** Change of a destination that a command line asks for. */
export interface WantedReplacement {
  readonly from: string;
  /** null means that it is removed. */
  readonly to: string | null;
}

export function parseReplacement(
  words: readonly string[],
  { remove }: { readonly remove?: string },
): WantedReplacement {
  const [from, to] = words;
  if (remove !== undefined) {
    if (from === undefined) return { from: remove, to: null };
    throw usageError('--remove takes the only destination', `leave ${quote(from)} out`);
  }
  if (from !== undefined && to !== undefined) return { from, to };
  throw usageError(
    from === undefined ? 'no destination is named' : `there is no replacement for ${quote(from)}`,
    'write OLD and NEW, or --remove OLD alone',
  );
}

/** Returns the terms of a replacement. `groups` are the names of the groups of all manifests. */
export function replaceTerms({ from, to }: WantedReplacement, groups: ReadonlySet<string>): ReplaceTerms {
  const isFrom = matcherOf(from, groups);
  const isTo = to === null ? () => false : matcherOf(to, groups);
  if (isTo(from) || (to !== null && isFrom(to))) {
    throw usageError('old and new are the same destination', 'name another one');
  }
  const needle = normaliseDestination(from).toLowerCase();
  return {
    isFrom,
    isTo,
    to,
    // Other letters, and escapes in quotes, may write the same text in another way.
    mayBeIn: (text) => /[^\n\r\t -~]|\\/.test(text) || text.toLowerCase().includes(needle),
  };
}

function matcherOf(text: string, groups: ReadonlySet<string>): (written: string) => boolean {
  if (groups.has(text)) return (written) => written === text;
  const parsed = parseDestination(text);
  if (parsed === null) {
    throw usageError(
      `${quote(text)} is neither an address nor a webhook, and no group has that name`,
      didYouMean(text, groups, 'write an address, a webhook or the name of a group in `destinations`'),
    );
  }
  if (!parsed.ok) throw usageError(`${parsed.error.message}: ${quote(text)}`, parsed.error.hint);
  const { destination } = parsed.value;
  return (written) =>
    (written.includes('@') || written.includes('://')) && isSameDestination(written, destination);
}
