import type { AliasSection, PresentDomain } from '../../model/desired.ts';
import { sameDestinations } from '../../model/destinations.ts';
import type { DomainName, NameKey } from '../../model/names.ts';
import type { AliasChange, Change, Warning } from '../../model/plan.ts';
import type { ObservedAlias } from './fields.ts';
import { matchesGlob } from '../../routing/glob.ts';
import { origin } from '../../plan/diff/section.ts';

const CATCH_ALL = '*' as NameKey;

export interface CatchAllPlan {
  readonly changes: readonly Change[];
  readonly warnings: readonly Warning[];
}

/**
 * Makes the change of `*` conditional for a new domain, because the service may create a `*` with the domain.
 * `changes` are those of a domain without aliases.
 */
export function planCatchAll(desired: PresentDomain, changes: readonly Change[]): CatchAllPlan {
  const section = desired.aliases;
  const entry = section?.entries.get(CATCH_ALL);
  if (entry?.state === 'present') return { changes: changes.map(withCondition), warnings: [] };
  const removed = section !== undefined && (entry !== undefined || prunesCatchAll(section));
  if (!removed) return { changes, warnings: [defaultCatchAll(desired)] };
  const deletion: AliasChange = {
    ...(entry === undefined ? { source: null } : origin(entry)),
    kind: 'alias',
    action: 'delete',
    domain: desired.domain,
    name: CATCH_ALL,
    id: null,
    observed: null,
    desired: null,
    fields: [],
    stage: 2,
    conditional: true,
    reason: entry === undefined ? 'prune' : 'absent',
  };
  return { changes: [...changes, deletion], warnings: [] };
}

/**
 * Resolves the conditional changes of a domain that was just added, after its aliases were read. Aliases that already
 * exist are no longer additions. Changes of other kinds and names stay as they are.
 */
export function resolveConditional(
  changes: readonly Change[],
  domain: DomainName,
  live: readonly ObservedAlias[],
): readonly Change[] {
  const made = live.find((alias) => alias.name === CATCH_ALL);
  return changes.flatMap<Change>((change) =>
    change.conditional && change.kind === 'alias' && change.domain === domain
      ? resolve(change, made)
      : [change],
  );
}

function resolve(change: AliasChange, made: ObservedAlias | undefined): readonly AliasChange[] {
  if (made === undefined) return change.action === 'add' ? [{ ...change, conditional: false }] : [];
  const observed = { forward: made.forward };
  if (change.desired === null) return [{ ...change, conditional: false, id: made.id, observed }];
  if (sameDestinations(made.forward, change.desired.forward)) return [];
  return [{ ...change, conditional: false, action: 'update', id: made.id, observed }];
}

function withCondition(change: Change): Change {
  return change.kind === 'alias' && change.name === CATCH_ALL ? { ...change, conditional: true } : change;
}

function prunesCatchAll(section: AliasSection): boolean {
  return section.prune && !section.ignore.some((pattern) => matchesGlob(pattern, CATCH_ALL));
}

function defaultCatchAll(desired: PresentDomain): Warning {
  return {
    code: 'default-catch-all',
    message: `${desired.domain} is new: the service may create a "*" alias in it, which the manifest does not manage`,
    hint: 'add "*" to its aliases, or prune them',
    source: desired.source,
  };
}
