import { capturesIn, sameDestinations, type Destination } from '../../model/destinations.ts';
import { looksLikeRegex, parseAliasName, type AliasName, type NameKey } from '../../model/names.ts';
import type { DesiredAlias } from '../../kinds/alias/fields.ts';
import type { AliasChange } from '../../model/plan.ts';
import { compilePattern } from '../../routing/regex.ts';
import type { Loading } from '../resolve/context.ts';
import {
  digestNamed,
  exportNamed,
  isAbsent,
  mergeNamed,
  readNamed,
  type SectionLanguage,
} from './entries.ts';
import { reportInside } from '../resolve/values/inner-fault.ts';
import { changesOf, editSection, type EntryChange } from '../update/entries.ts';
import type { Entry } from '../read/node.ts';
import { sourceOf } from '../read/text.ts';

export type AliasEntries = ReadonlyMap<NameKey, DesiredAlias>;

export const ALIAS_SECTION: SectionLanguage<'aliases', AliasEntries> = {
  read: (section, loading) => readNamed(section, loading, parseAliasName, readAlias),
  merge: (own, brought, _, log) => mergeNamed(own, brought, sameAlias, log),
  digest: (entries) =>
    digestNamed(entries, (alias) => [
      alias.name,
      alias.state === 'present' ? digestForward(alias.forward) : null,
    ]),
  export: (live, comments, showForward) =>
    exportNamed('alias', live, comments, ({ forward }) => showForward(forward)),
  update: (editing, changes) => editSection(editing, 'aliases', changesOf('alias', changes), entryChange),
};

/** In order; nearly always there is one, which matters at a million aliases. */
function digestForward(forward: readonly Destination[]): string {
  return forward.length === 1 ? String(forward[0]) : forward.toSorted().join(',');
}

function readAlias(entry: Entry, name: AliasName, loading: Loading): DesiredAlias | null {
  const source = sourceOf(entry.key);
  if (isAbsent(entry.value)) return { state: 'absent', name, source };
  const groups = checkPattern(entry, name, loading);
  const forward = loading.destinations.resolve(entry.value);
  if (groups === null || forward === null) return null;
  for (const destination of forward) {
    const missing = capturesIn(destination).find((capture) => Number(capture.slice(1)) > groups);
    if (missing === undefined) continue;
    reportCapture(missing, entry, groups, loading);
    break;
  }
  return { state: 'present', name, forward, source };
}

function reportCapture(capture: string, { value }: Entry, groups: number, { log }: Loading): void {
  log.report('capture-without-group', value, {
    message: `${capture} stands for group ${capture.slice(1)} of the name, which has ${groups}`,
    hint: 'put that part of the name in parentheses, or write the destination out',
  });
}

function sameAlias(a: DesiredAlias, b: DesiredAlias): boolean {
  if (a.state === 'absent' || b.state === 'absent') return a.state === b.state;
  return sameDestinations(a.forward, b.forward);
}

/** The number of groups of a name that is a regular expression, 0 for other names; null when it does not compile. */
function checkPattern({ key }: Entry, name: AliasName, { log }: Loading): number | null {
  if (!looksLikeRegex(name)) return 0;
  const compiled = compilePattern(name, { letterCase: 'any' });
  if (compiled.ok) return compiled.value.groups;
  reportInside('pattern', key, compiled.error, log);
  return null;
}

/** The account's side of an alias; one that a template brings is overruled, for the template may be right elsewhere. */
function entryChange({ observed, via }: AliasChange): EntryChange {
  if (observed !== null) return { kind: 'forward', forward: observed.forward };
  return via === undefined ? { kind: 'remove' } : { kind: 'value', value: { state: 'absent' } };
}
