import type { CommandLine } from '../../core/model/text/command-line.ts';
import type { Allowance, Desired } from '../../core/model/desired.ts';
import { isSection, sectionForms } from '../../core/kinds/registry.ts';
import {
  type DomainName,
  domainPartOf,
  findInvisible,
  localPartOf,
  nameKey,
  quote,
} from '../../core/model/names.ts';
import { allowancesInForce, type Policy } from '../../core/plan/policy.ts';
import { requireDomain } from './arguments.ts';
import { usageError } from '../exit.ts';
import type { Allowances } from '../settings/flags.ts';

export interface RunStance {
  readonly account: string | null;
  /** True if the account must be stated, because no person can check it. */
  readonly accountRequired: boolean;
  readonly domainDeletes: Policy['domainDeletes'];
  /** Epoch milliseconds: allowances of the manifest expire. */
  readonly now: number;
  /** Completes the commands that hints name. */
  readonly command?: CommandLine;
}

/** Creates the policy of a run from the manifest's guards, the flags' allowances and the kind of run. */
export function createPolicy(
  desired: Desired,
  options: Omit<Allowances, 'skipRefused'>,
  stance: RunStance,
): Policy {
  return {
    guards: desired.guards,
    allowances: [...parseAllowances(options), ...allowancesInForce(desired.guards, stance.now)],
    account: stance.account,
    accountRequired: stance.accountRequired,
    rotate: (options.rotate ?? []).map(parseRotation),
    domainDeletes: stance.domainDeletes,
    ...(stance.command === undefined ? {} : { command: stance.command }),
  };
}

/** Parses the flags that allow what guards hold back. */
export function parseAllowances(options: Omit<Allowances, 'skipRefused'>): readonly Allowance[] {
  return [
    ...(options.allowDeletes === undefined
      ? []
      : [{ kind: 'deletes', count: options.allowDeletes } as const]),
    ...(options.allowReroutes === undefined
      ? []
      : [{ kind: 'reroutes', count: options.allowReroutes } as const]),
    ...(options.allowDomainDelete ?? []).map((name) => ({
      kind: 'domain-delete' as const,
      domain: requireDomain(name, '--allow-domain-delete'),
    })),
    ...(options.allowEmpty ?? []).map(parseEmpty),
    ...(options.allowUnrouted ?? []).map(parseUnrouted),
  ];
}

function parseEmpty(text: string): Allowance {
  const [domain = '', section = ''] = text.split('/');
  if (!isSection(section)) {
    throw usageError(`--allow-empty ${text} names no section`, `write ${sectionForms()}`);
  }
  return { kind: 'empty', domain: requireDomain(domain, '--allow-empty'), section };
}

/**
 * Parses an address as guards name it, with its domain in ASCII form. Its local part is not always that of an alias.
 */
function parseUnrouted(text: string): Allowance {
  const local = localPartOf(text);
  if (local === '' || /[@,]/.test(local) || findInvisible(local) !== null) {
    throw usageError(
      `--allow-unrouted: ${quote(text)} is not an address`,
      "write a whole address, or '*@DOMAIN'",
    );
  }
  const domain = requireDomain(domainPartOf(text), '--allow-unrouted');
  return { kind: 'unrouted', address: `${nameKey(local)}@${domain}` };
}

function parseRotation(text: string): { name: string; domain: DomainName } {
  const name = localPartOf(text);
  if (name === '') throw usageError(`--rotate ${text} names no credential`, 'write NAME@DOMAIN');
  return { name, domain: requireDomain(domainPartOf(text), '--rotate') };
}
