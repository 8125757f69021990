import type { GuardFinding, GuardName } from '../../model/plan.ts';
import type { Policy } from '../policy.ts';
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
  const held = findings.flatMap((finding) => asFor(input.policy, finding));
  return [...held.filter(({ scope }) => scope === 'run'), ...held.filter(({ scope }) => scope !== 'run')];
}

/** Guards about numbers: that of an undo is the number of the run that it reverses. */
const ABOUT_NUMBERS: ReadonlySet<GuardName> = new Set([
  'max-deletes',
  'max-reroutes',
  'empty-section',
  'manifest-shrink',
]);

/** What a number of deletes would allow, nothing allows in an undo. */
function asFor({ purpose }: Policy, finding: GuardFinding): readonly GuardFinding[] {
  if (purpose !== 'undo') return [finding];
  if (ABOUT_NUMBERS.has(finding.guard)) return [];
  const isNumber = finding.allowance?.kind === 'deletes';
  return [isNumber ? { ...finding, allowance: null, allow: null, allowed: false } : finding];
}
