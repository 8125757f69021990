import type { GuardFinding } from '../../model/plan.ts';
import { guardAccount } from './account.ts';
import { guardDeletes } from './deletes.ts';
import { guardLoops } from './loops.ts';
import { guardReroutes } from './reroutes.ts';
import { guardShrinking } from './shrink.ts';
import { guardUnrouted } from './unrouted.ts';
import type { GuardInput } from './input.ts';

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
