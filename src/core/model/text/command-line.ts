/**
 * Returns a command for a shell: `fwdsync`, these words, and the flags needed to reach this process's account and
 * state. All code that prints a command uses this.
 */
export type CommandLine = (words: string) => string;

/** Returns the command without flags, if the environment and the directory are enough. */
export const plainCommand: CommandLine = (words) => `fwdsync ${words}`;
