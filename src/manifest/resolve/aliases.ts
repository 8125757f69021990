import type { DesiredAlias } from '../../model/desired.ts';
import { looksLikeRegex, parseAliasName, type AliasName, type NameKey } from '../../model/names.ts';
import { compilePattern } from '../../routing/regex.ts';
import type { Loading } from './context.ts';
import { reportInside } from './values/inner-fault.ts';
import { createNameReader } from './values/names.ts';
import { entriesOf, textOf, valueOf, type Entry, type MapNode, type Node } from '../read/node.ts';
import { sourceOf } from '../read/text.ts';

/** Entries of one section as written, and whether all of them could be read. */
export interface ReadEntries<T> {
  readonly entries: T;
  readonly failed: boolean;
}

export type AliasEntries = ReadonlyMap<NameKey, DesiredAlias>;

/** The aliases of a domain or template. Entries with an error are left out: it is reported. */
export function readAliases(section: Node | undefined, loading: Loading): ReadEntries<AliasEntries> {
  const names = createNameReader(parseAliasName, loading.log);
  const entries = new Map<NameKey, DesiredAlias>();
  let failed = false;
  for (const entry of entriesOf(section)) {
    const named = names.read(entry.key);
    const alias = named === null ? null : readAlias(entry, named.name, loading);
    if (named === null || alias === null) failed = true;
    else entries.set(named.key, alias);
  }
  return { entries, failed };
}

function readAlias(entry: Entry, name: AliasName, loading: Loading): DesiredAlias | null {
  const source = sourceOf(entry.key);
  if (isAbsent(entry.value)) return { state: 'absent', name, source };
  const groups = checkPattern(entry, name, loading);
  const forward = loading.destinations.resolve(entry.value);
  if (groups === null || forward === null) return null;
  const used = forward.flatMap((destination) => [...destination.matchAll(/\$(\d)/g)]);
  const missing = used.find(([, digit]) => Number(digit) > groups);
  if (missing !== undefined) {
    loading.log.report('capture-without-group', entry.value, {
      message: `${missing[0]} stands for group ${missing[1]} of the name, which has ${groups}`,
      hint: 'put that part of the name in parentheses, or write the destination out',
    });
  }
  return { state: 'present', name, forward, source };
}

/** Whether a value is `{ state: absent }`, alone. */
export function isAbsent(value: Node): value is MapNode {
  return value.kind === 'map' && value.entries.size === 1 && textOf(valueOf(value, 'state')) === 'absent';
}

/** The number of groups of a name that is a regular expression, 0 for other names; null when it does not compile. */
function checkPattern({ key }: Entry, name: AliasName, { log }: Loading): number | null {
  if (!looksLikeRegex(name)) return 0;
  const compiled = compilePattern(name, { letterCase: 'any' });
  if (compiled.ok) return compiled.value.groups;
  reportInside('pattern', key, compiled.error, log);
  return null;
}
