import type { Desired } from '../../model/desired.ts';
import type { Observed } from '../../model/observed.ts';
import type { GuardFinding } from '../../model/plan.ts';
import type { ManifestSize, Prior } from '../../model/prior.ts';
import type { DomainPlan } from '../diff/domain.ts';
import type { Policy } from '../policy.ts';
import { guardAccount } from './account.ts';
import { guardDeletes } from './deletes.ts';
import { guardLoops } from './loops.ts';
import { guardReroutes } from './reroutes.ts';
import { guardShrinking } from './shrink.ts';
import { guardUnrouted } from './unrouted.ts';

export interface GuardInput {
  readonly desired: Desired;
  readonly observed: Observed;
  readonly policy: Policy;
  readonly prior: Prior;
  readonly domains: readonly DomainPlan[];
  readonly size: ManifestSize;
}

/** Everything that speaks against a plan, the allowed findings included; those of the run first. */
export function findGuards(input: GuardInput): readonly GuardFinding[] {
  const findings = [
    ...guardAccount(input),
    ...guardShrinking(input),
    ...guardDeletes(input),
    ...guardReroutes(input),
    ...guardUnrouted(input),
    ...guardLoops(input),
  ];
  return [
    ...findings.filter(({ scope }) => scope === 'run'),
    ...findings.filter(({ scope }) => scope !== 'run'),
  ];
}
