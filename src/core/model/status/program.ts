/** The program that runs. `commit` and `builtAt` are null in a checkout, where nothing was built. */
export interface ProgramInfo {
  readonly version: string;
  readonly commit: string | null;
  /** ISO 8601, UTC. */
  readonly builtAt: string | null;
  /** The version of Node. */
  readonly node: string;
}
