import type { Dump, DumpedDomain } from '../../../src/emulator/account/dump.ts';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import { runCommand, type CommandResult, type Terminal } from './cli.ts';

export interface Undone {
  readonly apply: CommandResult;
  readonly account: Dump;
}

/** Applies the snapshot that a run points to, with just the command that it prints; null: it wrote nothing. */
export async function undo(
  emulator: Emulator,
  run: CommandResult,
  terminal: Terminal,
): Promise<Undone | null> {
  const printed = /^Undo: fwdsync (apply -f .+)$/m.exec(run.stdout)?.[1];
  if (printed === undefined) return null;
  const apply = await runCommand([...unquoted(printed), '--yes'], terminal);
  return { apply, account: emulator.store.dump() };
}

/** The words of a command, as a shell would split them. */
function unquoted(command: string): readonly string[] {
  return command.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
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
