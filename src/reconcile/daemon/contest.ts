import { entryKey } from '../../model/item-key.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import { signature } from '../../plan/diff/signature.ts';

/** Recognises items that somebody else keeps changing back, so that two tools do not undo each other for ever. */
export interface Contest {
  /** Takes in one look at some domains; the changes of it that are not to be made. `now` is monotonic. */
  look(look: Look): ReadonlySet<Change>;
  /** Takes in what a run put in place. */
  placed(changes: Iterable<Change>): void;
  /** Forgets all but these domains. */
  keep(domains: ReadonlyMap<DomainName, unknown>): void;
  /** Everything may be changed again. */
  thaw(): void;
}

export interface Look {
  readonly domains: Iterable<DomainName>;
  /** All that differs in them. */
  readonly changes: readonly Change[];
  readonly references: ReadonlyMap<string, string>;
  readonly now: number;
}

const WINDOW = 6;
const MOST_REVERTS = 3;
const FROZEN_FOR_MS = 86_400_000;

interface Item {
  /** What is desired of it; another entry starts afresh. */
  wanted: string;
  /** Whether it was in place after we last changed it. */
  placed: boolean;
  /** Looks at its domain, by number, that found it changed back. */
  reverts: number[];
  frozenAt: number | null;
  /** The last look that concerned it. */
  seen: number;
}

interface Domain {
  looks: number;
  readonly items: Map<string, Item>;
}

export function createContest(): Contest {
  const domains = new Map<DomainName, Domain>();
  const itemOf = (change: Change): Item | undefined =>
    domains.get(change.domain)?.items.get(entryKey(change.kind, change.name));
  return {
    look({ domains: names, changes, references, now }) {
      for (const name of names) countLook(domains, name);
      const frozen = new Set<Change>();
      for (const change of changes) {
        const domain = domains.get(change.domain);
        if (domain !== undefined && isFrozen(domain, change, wantedOf(change, references), now))
          frozen.add(change);
      }
      return frozen;
    },
    placed(changes) {
      for (const change of changes) {
        const item = itemOf(change);
        if (item !== undefined) item.placed = true;
      }
    },
    keep(kept) {
      for (const name of domains.keys()) if (!kept.has(name)) domains.delete(name);
    },
    thaw() {
      domains.clear();
    },
  };
}

/** Items of which nothing was heard for a whole window are forgotten. */
function countLook(domains: Map<DomainName, Domain>, name: DomainName): void {
  const domain = domains.get(name);
  if (domain === undefined) {
    domains.set(name, { looks: 1, items: new Map() });
    return;
  }
  domain.looks += 1;
  for (const [key, item] of domain.items) {
    if (domain.looks - item.seen > WINDOW) domain.items.delete(key);
  }
}

function isFrozen(domain: Domain, change: Change, wanted: string, now: number): boolean {
  const key = entryKey(change.kind, change.name);
  const known = domain.items.get(key);
  const item = known === undefined || known.wanted !== wanted ? newItem(change, wanted) : known;
  domain.items.set(key, item);
  item.seen = domain.looks;
  if (item.frozenAt !== null && now - item.frozenAt < FROZEN_FOR_MS) return true;
  if (item.frozenAt !== null) Object.assign(item, { reverts: [], frozenAt: null });
  // A change that was never made, because it failed, was not undone by anybody.
  if (item.placed) {
    item.reverts = [...item.reverts.filter((look) => domain.looks - look < WINDOW), domain.looks];
  }
  item.placed = false;
  item.frozenAt = item.reverts.length >= MOST_REVERTS ? now : null;
  return item.frozenAt !== null;
}

/** Drift is what was in place once: an earlier run, of this process or another, put it there. */
function newItem({ reason }: Change, wanted: string): Item {
  return { wanted, placed: reason === 'drift', reverts: [], frozenAt: null, seen: 0 };
}

function wantedOf(change: Change, references: ReadonlyMap<string, string>): string {
  if (change.desired === null) return 'absent';
  switch (change.kind) {
    case 'domain':
      return signature({ kind: 'domain', state: change.desired }, references);
    case 'alias':
      return signature({ kind: 'alias', state: change.desired }, references);
    case 'rule':
      return signature({ kind: 'rule', state: change.desired }, references);
    case 'credential':
      return signature({ kind: 'credential' }, references);
  }
}
