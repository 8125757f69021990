/**
 * Returns a command for a shell: `fwdsync`, these words, and what the command needs to reach the account and the state that this process
 * reaches. Whatever prints a command asks for it here.
 */
export type CommandLine = (words: string) => string;

/** The command without flags: the environment and the directory say it all. */
export const plainCommand: CommandLine = (words) => `fwdsync ${words}`;
