import type { PlanOptionsDocument } from '../../core/plan/document/document.ts';
import type { References } from '../../core/model/destinations.ts';
import type { Context } from '../context.ts';
import { usageError } from '../exit.ts';
import type { AllowanceOptions } from './policy.ts';
import { manifestPaths, wantsMask, type CommonOptions } from '../settings.ts';

export interface PlanFlags extends CommonOptions, AllowanceOptions {
  readonly against?: string;
  /** Values that references have at the revision of `--against`: they are concealed where the manifest writes them out now. */
  readonly concealed?: References;
  readonly skipRefused?: true;
}

export const ALLOWANCES = [
  'allowDeletes',
  'allowReroutes',
  'allowDomainDelete',
  'allowEmpty',
  'allowUnrouted',
  'rotate',
  'skipRefused',
] as const satisfies readonly (keyof PlanFlags & keyof PlanOptionsDocument)[];

/** The flags that decide what a plan holds, as its document keeps them. */
export function planOptions(context: Context, options: PlanFlags): PlanOptionsDocument {
  return {
    paths: manifestPaths(options, context),
    ...(context.ofAccount === undefined ? {} : { account: context.ofAccount.membership }),
    domains: options.domain ?? null,
    ...pickAllowances(options),
    ...(wantsMask(options, context) ? { mask: true } : {}),
  };
}

/** The flags with which a saved plan is made again. One of no domain, as `--quick` saves it, speaks of all of them. */
export function flagsOfSaved(options: PlanFlags, saved: PlanOptionsDocument): PlanFlags {
  return {
    ...options,
    ...pickAllowances(saved),
    file: saved.paths,
    ...(saved.mask === true ? { mask: true } : {}),
    ...(saved.domains === null || saved.domains.length === 0 ? {} : { domain: saved.domains }),
  };
}

/** What a saved plan has said already: to say it again would be another plan. */
export function assertNothingAgain(options: PlanFlags): void {
  const again = [...ALLOWANCES, 'domain' as const, 'against' as const].find(
    (name) => options[name] !== undefined,
  );
  if (again === undefined) return;
  throw usageError(
    `${flagOf(again)} cannot be given together with a saved plan`,
    'make the plan again with it: a saved plan runs as it was reviewed',
  );
}

/** As it is typed: `--allow-deletes` for `allowDeletes`. */
export function flagOf(name: keyof PlanFlags): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function pickAllowances(options: Pick<PlanFlags & PlanOptionsDocument, (typeof ALLOWANCES)[number]>) {
  return Object.fromEntries(
    ALLOWANCES.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  ) as Pick<PlanOptionsDocument, (typeof ALLOWANCES)[number]>;
}
