import { plainCommand, type CommandLine } from '../model/text/command-line.ts';
import type { Allowance, GuardSettings } from '../model/desired.ts';

/** What a run is allowed and asked to do by anything but the manifest. */
export interface Policy {
  readonly guards: GuardSettings;
  /** Of the flags, and those of the manifest that are still valid. */
  readonly allowances: readonly Allowance[];
  /** The account that must answer; null: none is stated. */
  readonly account: string | null;
  /** Whether a run without a stated account is refused. */
  readonly accountRequired: boolean;
  /** Credentials whose password is to be sent again. */
  readonly rotate: readonly { readonly name: string; readonly domain: string }[];
  /** The daemon never deletes a domain. */
  readonly domainDeletes: 'allowed' | 'never';
  /** An undo is as large as the run that it reverses, and no manifest has a line for it. */
  readonly purpose?: 'undo' | undefined;
  /** Completes the commands that hints name. Default: they are plain. */
  readonly command?: CommandLine | undefined;
}

/** The allowances of a manifest that have not expired: each holds through its day, in UTC. */
export function allowancesInForce(guards: GuardSettings, now: number): readonly Allowance[] {
  const today = new Date(now).toISOString().slice(0, 10);
  return guards.allow.filter(({ until }) => today <= until).map(({ allowance }) => allowance);
}

/** An allowance as the flag that gives it, ready for a shell. */
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

/** Returns the allowance as an item of `guards.allow` of a manifest, valid through a day. */
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

/** Returns the function that completes the commands in hints of a run. */
export function commandOf({ command = plainCommand }: Pick<Policy, 'command'>): CommandLine {
  return command;
}

export function allows(policy: Policy, allowance: Allowance): boolean {
  const flag = showAllowance(allowance);
  return policy.allowances.some((given) => showAllowance(given) === flag);
}

/** One word for a shell, in quotes where it needs them. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
