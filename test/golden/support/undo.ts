import type { Dump, DumpedDomain } from '../../../src/emulator/account/dump.ts';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import { runCommand, type CommandResult, type Terminal } from './cli.ts';

/** A command that reverses another one, and the account after it. */
export interface Undone {
  readonly result: CommandResult;
  readonly account: Dump;
}

/** Results in their order: the undo of a run, the undo of that undo, and the snapshot of the run. */
export interface Undoing {
  readonly undo: Undone;
  readonly redo: Undone;
  readonly snapshot: Undone;
}

/** Runs the commands that a run prints, with the allowances that their guards ask for. null means that the run wrote nothing. */
export async function undoAll(
  emulator: Emulator,
  run: CommandResult,
  terminal: Terminal,
): Promise<Undoing | null> {
  if (printedCommand(run, 'undo') === null) return null;
  const undo = await runPrinted(emulator, { run, word: 'undo' }, terminal);
  const redo = await runPrinted(emulator, { run: undo.result, word: 'undo' }, terminal);
  return { undo, redo, snapshot: await runPrinted(emulator, { run, word: 'snapshot' }, terminal) };
}

/** Runs the command that a report prints as a person would: first as it is, then with the allowances that its refusal names. */
export async function runPrinted(
  emulator: Emulator,
  { run, word }: { readonly run: CommandResult; readonly word: PrintedWord },
  terminal: Terminal,
): Promise<Undone> {
  const args = unquoted(printedCommand(run, word) ?? 'undo none');
  const first = await carryOut(emulator, args, terminal);
  if (first.result.exitCode !== 4) return first;
  const allowed = new Set(first.result.stdout.match(/--allow-[a-z-]+ \S+/g));
  return carryOut(emulator, [...args, ...[...allowed].flatMap(unquoted)], terminal);
}

/** The word of a report before a command. */
type PrintedWord = 'undo' | 'snapshot';

/** Returns the command that a report prints behind a word, without the variables before it. */
function printedCommand({ stdout }: CommandResult, word: PrintedWord): string | null {
  return new RegExp(`^${word}: (?:\\S+ )?fwdsync (.+)$`, 'm').exec(stdout)?.[1] ?? null;
}

async function carryOut(emulator: Emulator, args: readonly string[], terminal: Terminal): Promise<Undone> {
  const result = await runCommand([...args, '--yes'], terminal);
  return { result, account: emulator.store.dump() };
}

/** The words of a command, as a shell would split them. */
function unquoted(command: string): readonly string[] {
  return command.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
}

/** Credentials that one command added and the next deleted. The command after it cannot restore them. */
export function credentialsGone(before: Dump, after: Dump): readonly string[] {
  const left = new Set(credentialsOf(after));
  return credentialsOf(before).filter((name) => !left.has(name));
}

function credentialsOf({ domains }: Dump): readonly string[] {
  return domains.flatMap(({ domain, credentials }) =>
    credentials.map(({ username }) => `${domain}/credentials/${username}`),
  );
}

/**
 * Parts of an account that a snapshot must restore: no ids, times and ranks, because only their order counts, and no
 * passwords. `lost` names what cannot come back: `domain/section/name`.
 */
export function restorable({ domains }: Dump, lost: readonly string[]): unknown {
  return domains.map((domain) => restorableDomain(domain, new Set(lost)));
}

function restorableDomain(dumped: DumpedDomain, lost: ReadonlySet<string>): unknown {
  const { domain, notification_email, whitelabel, webhook, aliases, rules, credentials } = dumped;
  return {
    domain,
    notification_email,
    whitelabel,
    webhook,
    aliases: aliases.map(({ alias, forward }) => ({ alias, forward: forwardSet(forward) })),
    rules: rules.map(({ type, config, active }) => ({
      type,
      active,
      ...config,
      forward: forwardSet(String(config['forward'])),
    })),
    credentials: credentials
      .map(({ username }) => username)
      .filter((username) => !lost.has(`${domain}/credentials/${username}`)),
  };
}

function forwardSet(forward: string): readonly string[] {
  return [...new Set(forward.split(',').map((destination) => destination.trim()))].sort();
}
