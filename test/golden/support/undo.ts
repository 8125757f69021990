import type { Dump, DumpedDomain } from '../../../src/emulator/account/dump.ts';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import { runCommand, type CommandResult, type Terminal } from './cli.ts';

/** A command that reverses another one, and the account after it. */
export interface Undone {
  readonly result: CommandResult;
  readonly account: Dump;
}

/** One after another: the undo of a run, the undo of that undo, and the snapshot of the run. */
export interface Undoing {
  readonly undo: Undone;
  readonly redo: Undone;
  readonly snapshot: Undone;
}

/** With just the commands that a run prints; an undo is told what its guards ask for. Null: the run wrote nothing. */
export async function undoAll(
  emulator: Emulator,
  run: CommandResult,
  terminal: Terminal,
): Promise<Undoing | null> {
  const printed = /^snapshot: (?:\S+ )?fwdsync (apply -f .+)$/m.exec(run.stdout)?.[1];
  if (printed === undefined) return null;
  const undo = await undoRun(emulator, run, terminal);
  const redo = await undoRun(emulator, undo.result, terminal);
  return { undo, redo, snapshot: await carryOut(emulator, unquoted(printed), terminal) };
}

/** As somebody would: first without any allowance, then with those that the refusal names. */
export async function undoRun(
  emulator: Emulator,
  run: CommandResult,
  terminal: Terminal,
): Promise<Undone> {
  const args = unquoted(/^undo: (?:\S+ )?fwdsync (undo .+)$/m.exec(run.stdout)?.[1] ?? 'undo none');
  const first = await carryOut(emulator, args, terminal);
  if (first.result.exitCode !== 4) return first;
  const allowed = new Set(first.result.stdout.match(/--allow-(?:unrouted|domain-delete) \S+/g));
  return carryOut(emulator, [...args, ...[...allowed].flatMap(unquoted)], terminal);
}

async function carryOut(emulator: Emulator, args: readonly string[], terminal: Terminal): Promise<Undone> {
  const result = await runCommand([...args, '--yes'], terminal);
  return { result, account: emulator.store.dump() };
}

/** The words of a command, as a shell would split them. */
function unquoted(command: string): readonly string[] {
  return command.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
}

/** Credentials that one command made and the next took away: they do not come back with the one after it. */
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
 * What of an account a snapshot is to bring back: no ids, times and ranks, for only their order counts, and no
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
