import type { ReferenceValue } from '../../model/desired.ts';
import type { ProblemLog } from '../problems.ts';
import type { Destination, Reference } from '../../model/destinations.ts';
import type { Node } from '../read/node.ts';

/** The options of loading a manifest, from the command line and the environment. */
export interface LoadOptions {
  /**
   * The severity of a destination's reference that is not set: an error if `required` (plan, apply), a warning if
   * `optional` (validate).
   */
  readonly references: 'required' | 'optional';
  /** Returns the value behind a reference; an empty one counts as not set. */
  readonly resolve: (reference: Reference) => ReferenceValue;
  /** The generation from a flag or the environment; null means that of the manifest or URL. */
  readonly apiVersion: 'v4' | 'v3' | null;
  /** The URL that the operator named. It overrides `api.url`, which may use its host. */
  readonly namedUrl?: string;
  /** The directory that the files' paths are relative to. */
  readonly cwd?: string;
  /** Keys of `api` that must be stated, for example with several accounts. */
  readonly required?: readonly ('key' | 'account')[];
  /** `unchecked` skips the comparison of `expect` with the manifest's routing; the default is `checked`. */
  readonly expect?: 'checked' | 'unchecked';
  /** The domains of the run; warnings and notices of other domains are left out. By default all. */
  readonly only?: ReadonlySet<string> | undefined;
  /** The most entries; `MAX_ENTRIES` by default. */
  readonly maxEntries?: number | undefined;
}

/**
 * The most entries of all domains after templates are expanded. It includes the templates that each domain uses and
 * the patterns that it ignores, because a short file may expand a millionfold. Destinations may be ten times as many.
 */
export const MAX_ENTRIES = 1_000_000;

/** The references whose values are needed to load a manifest. */
export interface NeededReferences {
  /**
   * References of `api.key`, also in texts that are not valid manifests. No destination or password may use one of
   * them.
   */
  readonly keys: readonly Reference[];
  readonly others: readonly Reference[];
}

/** Reads the values of references and returns their lookup. */
export type ReadReferences = (needed: NeededReferences) => Promise<LoadOptions['resolve']>;

/** Resolver of destinations. Each group is expanded once, however often it is used. */
export interface DestinationBook {
  /** Returns the destinations that a value names; null if any is wrong, which is reported at its place. */
  readonly resolve: (node: Node | undefined) => readonly Destination[] | null;
  /** Checks the groups that no entry uses. A reference there that is not set is not needed. */
  readonly checkSpares: () => void;
  /** True if an entry uses the group, directly or through another group. */
  readonly isUsed: (name: string) => boolean;
  /** References by normalised value. */
  readonly references: ReadonlyMap<string, Reference>;
  /** Addresses and webhooks by their text in the manifest, without values of references. */
  readonly written: ReadonlyMap<string, WrittenDestination>;
}

export interface WrittenDestination {
  /** A list of one, shared by all values with this text. */
  readonly destinations: readonly Destination[];
  /** Number of values with this text. A template counts once for each domain that uses it. */
  readonly uses: number;
}

/** The context of every stage after parsing. */
export interface Loading {
  readonly log: ProblemLog;
  readonly options: LoadOptions;
  readonly completeness: 'complete' | 'incomplete';
  readonly destinations: DestinationBook;
}
