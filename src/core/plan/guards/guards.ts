import type { GuardFinding, GuardName } from '../../model/plan.ts';
import type { Policy } from '../policy.ts';
import { guardAccount } from './account.ts';
import { guardDeletes } from './deletes.ts';
import { guardLoops } from './loops.ts';
import { guardReroutes } from './reroutes.ts';
import { guardShrinking } from './shrink.ts';
import { guardUnrouted } from './unrouted.ts';
import type { GuardInput } from './input.ts';

/** Returns all guard findings, including allowed ones; those of the whole run come first. */
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

/** Guards about numbers. An undo skips them, because it is as large as the run that it reverses. It never prunes. */
const ABOUT_NUMBERS: ReadonlySet<GuardName> = new Set(['max-deletes', 'max-reroutes', 'empty-section']);

/** Adapts a finding to an undo. Allowances by a number of deletes do not exist there. */
function asFor({ purpose }: Policy, finding: GuardFinding): readonly GuardFinding[] {
  if (purpose !== 'undo') return [finding];
  if (ABOUT_NUMBERS.has(finding.guard)) return [];
  const isNumber = finding.allowance?.kind === 'deletes';
  return [isNumber ? { ...finding, allowance: null, allow: null, allowed: false } : finding];
}
