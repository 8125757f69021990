import type { PresentDomain } from '../../../core/model/desired.ts';
import { entryKey } from '../../../core/kinds/item-key.ts';
import { KINDS, SECTION_KINDS } from '../../../core/kinds/registry.ts';
import type { DomainName } from '../../../core/model/names.ts';
import { NO_PRIOR_DOMAIN, type PriorDomain } from '../../../core/model/prior.ts';
import type { Memory } from '../../state/store.ts';
import { countLive, rememberCatchAll, type MemoryInput } from './memory.ts';

type UndoMemoryInput = Pick<MemoryInput, 'desired' | 'prior' | 'observed' | 'unread' | 'added' | 'adoptions'>;

/**
 * What an undo leaves behind for the next run: nothing that it brought back was applied from a manifest, and no domain of it is as
 * a manifest wants it. What was known of the other items is as true as before.
 */
export function memoryOfUndo(input: UndoMemoryInput): Memory {
  const { desired, observed, prior, unread } = input;
  const domains = new Map<DomainName, PriorDomain | null>();
  for (const entry of desired.domains.values()) {
    const live = observed.domains.get(entry.domain);
    if (unread.has(entry.domain) || (live !== undefined && entry.state === 'absent')) continue;
    const { inSyncDigest: _, ...before } = prior.domains.get(entry.domain) ?? NO_PRIOR_DOMAIN;
    if (live === undefined || entry.state === 'absent') {
      if (prior.domains.has(entry.domain)) domains.set(entry.domain, null);
      continue;
    }
    const touched = touchedKeys(entry);
    const others = <Value>(known: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
      new Map([...known].filter(([key]) => !touched.has(key)));
    const renamed = input.adoptions.filter(({ domain }) => domain === entry.domain);
    domains.set(entry.domain, {
      ...before,
      ...rememberCatchAll(entry, before, input),
      live: { ...before.live, ...countLive(live) },
      applied: others(before.applied),
      keptOtherwise: others(before.keptOtherwise),
      ruleIds: new Map([...before.ruleIds, ...renamed.map(({ name, id }) => [name, id] as const)]),
      passwords: new Map(
        [...before.passwords].filter(([name]) => !touched.has(entryKey('credential', name))),
      ),
    });
  }
  return { domains, manifest: null };
}

function touchedKeys(entry: PresentDomain): ReadonlySet<string> {
  const own = Object.keys(entry.settings).length === 0 ? [] : [entryKey('domain', entry.domain)];
  const keys = SECTION_KINDS.flatMap((kind) =>
    [...(entry[KINDS[kind].section]?.entries.values() ?? [])].map(({ name = '' }) => entryKey(kind, name)),
  );
  return new Set([...own, ...keys]);
}
