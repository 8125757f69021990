import { plainCommand, type CommandLine } from '../model/text/command-line.ts';
import type { Allowance, GuardSettings } from '../model/desired.ts';

/** The permissions and requests of a run that do not come from the manifest's entries. */
export interface Policy {
  readonly guards: GuardSettings;
  /** Allowances from flags, and those of the manifest that are still valid. */
  readonly allowances: readonly Allowance[];
  /** The account that must answer; null means that none is stated. */
  readonly account: string | null;
  /** True if a run without a stated account is refused. */
  readonly accountRequired: boolean;
  /** Credentials whose password will be sent again. */
  readonly rotate: readonly { readonly name: string; readonly domain: string }[];
  /** The daemon never deletes a domain. */
  readonly domainDeletes: 'allowed' | 'never';
  /**
   * `undo` turns off the guards about numbers, because an undo is as large as the run that it reverses. Its changes
   * have no manifest line.
   */
  readonly purpose?: 'undo' | undefined;
  /** Completes the commands in hints; by default they have no flags. */
  readonly command?: CommandLine | undefined;
}

/** Returns the manifest's allowances that have not expired. Each is valid through its day, in UTC. */
export function allowancesInForce(guards: GuardSettings, now: number): readonly Allowance[] {
  const today = new Date(now).toISOString().slice(0, 10);
  return guards.allow.filter(({ until }) => today <= until).map(({ allowance }) => allowance);
}

/** Formats an allowance as its flag, quoted for a shell. */
export function showAllowance(allowance: Allowance): string {
  switch (allowance.kind) {
    case 'deletes':
      return `--allow-deletes ${allowance.count}`;
    case 'reroutes':
      return `--allow-reroutes ${allowance.count}`;
    case 'domain-delete':
      return `--allow-domain-delete ${allowance.domain}`;
    case 'empty':
      return `--allow-empty ${allowance.domain}/${allowance.section}`;
    case 'unrouted':
      return `--allow-unrouted ${quoteForShell(allowance.address.toLowerCase())}`;
  }
}

/** Formats an allowance as an item of a manifest's `guards.allow`, valid through a day. */
export function writeAllowance(allowance: Allowance, until: string): string {
  return `- { ${allowanceEntry(allowance)}, until: ${until} }`;
}

function allowanceEntry(allowance: Allowance): string {
  switch (allowance.kind) {
    case 'deletes':
    case 'reroutes':
      return `${allowance.kind}: ${allowance.count}`;
    case 'domain-delete':
      return `domain_delete: ${allowance.domain}`;
    case 'empty':
      return `empty: ${allowance.domain}/${allowance.section}`;
    case 'unrouted':
      return `unrouted: ${JSON.stringify(allowance.address)}`;
  }
}

/** Returns the function that completes the commands in a run's hints. */
export function commandOf({ command = plainCommand }: Pick<Policy, 'command'>): CommandLine {
  return command;
}

export function allows(policy: Policy, allowance: Allowance): boolean {
  const flag = showAllowance(allowance);
  return policy.allowances.some((given) => showAllowance(given) === flag);
}

/** Returns one word for a shell, in quotes if it needs them. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
