import type { ReferenceValue } from '../../model/desired.ts';
import type { ProblemLog } from '../problems.ts';
import type { Destination, Reference } from '../../model/destinations.ts';
import type { Node } from '../read/node.ts';

/** How a manifest is loaded: what the command line and the environment add to it. */
export interface LoadOptions {
  /** Whether a destination's reference that is not set is an error (plan, apply) or a warning (validate). */
  readonly references: 'required' | 'optional';
  /** The value behind a reference; an empty one counts as not set. */
  readonly resolve: (reference: Reference) => ReferenceValue;
  /** The generation that a flag or the environment names; null: that of the manifest, or of the address. */
  readonly apiVersion: 'v4' | 'v3' | null;
  /** The address that the operator named: it wins over `api.url`, which may be on its host. */
  readonly namedUrl?: string;
  /** What the files' paths are relative to. */
  readonly cwd?: string;
  /** Keys of `api` that must be stated, as with several accounts. */
  readonly required?: readonly ('key' | 'account')[];
  /** Whether what `expect` says is compared with where the manifest routes mail; by default it is. */
  readonly expect?: 'checked' | 'unchecked';
  /** The domains that a run is about: warnings and notices of others are left out. Default: all. */
  readonly only?: ReadonlySet<string> | undefined;
  /** See `MAX_ENTRIES`, which is the default. */
  readonly maxEntries?: number | undefined;
}

/**
 * Entries of all domains once templates are expanded, with the templates that each domain uses and the patterns that it
 * ignores. A short file may ask for a million times as much as it holds. Destinations may be ten times as many.
 */
export const MAX_ENTRIES = 1_000_000;

/** The references of a manifest whose values are needed to load it. */
export interface NeededReferences {
  /** Those of `api.key`, also in texts that are no valid manifest: none of them may stand for a destination or a password. */
  readonly keys: readonly Reference[];
  readonly others: readonly Reference[];
}

/** Reads values and answers how to look them up. */
export type ReadReferences = (needed: NeededReferences) => Promise<LoadOptions['resolve']>;

/** Resolves destinations: groups are expanded once, however often they are used. */
export interface DestinationBook {
  /** The destinations that a value names; null when any of it is wrong, which is reported where it is written. */
  readonly resolve: (node: Node | undefined) => readonly Destination[] | null;
  /** Checks the groups that nothing has named; references that are not set are needed by nobody there. */
  readonly checkSpares: () => void;
  /** Whether an entry names the group, directly or by way of another. */
  readonly isUsed: (name: string) => boolean;
  /** By normalised value. */
  readonly references: ReadonlyMap<string, Reference>;
}

/** What every stage after parsing needs. */
export interface Loading {
  readonly log: ProblemLog;
  readonly options: LoadOptions;
  readonly completeness: 'complete' | 'incomplete';
  readonly destinations: DestinationBook;
}
