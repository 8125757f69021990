import type { ApiError } from '../../../client/errors.ts';
import type { RunResult } from '../../../core/model/status/daemon.ts';
import type { LockFault } from '../../../engine/state/store.ts';
import type { Plan, Withheld } from '../../../core/model/plan.ts';
import type { Once } from '../../../engine/once.ts';
import { apiFailure, apiHint } from '../../input/connect.ts';
import { CommandError, EXIT, commandFailure } from '../../exit.ts';

/** Returns why a run wrote nothing, as the end of a command. */
export function notRun(
  once: Exclude<Once, { readonly kind: 'applied' }>,
  document: object | null = null,
): CommandError {
  switch (once.kind) {
    case 'unread':
      return apiFailure(once.error);
    case 'locked':
      return commandFailure(once.fault.message, LOCK_HINTS[once.fault.kind]);
    case 'fault':
      return commandFailure(once.fault.message, STATE_HINT);
    case 'not-run':
      return notApproved(once.decision.kind, once.planned.plan, document);
  }
}

/** Returns why an unattended run failed, as the end of a command. */
export function failedRun({ what, code, message }: Extract<RunResult, { kind: 'failed' }>): CommandError {
  switch (what) {
    case 'lock':
      return commandFailure(message, LOCK_HINTS[code as LockFault['kind']]);
    case 'state':
      return commandFailure(message, STATE_HINT);
    case 'internal':
      return commandFailure(message, 'this is a bug in fwdsync: report it with this message');
    default:
      return commandFailure(message, apiHint(code as ApiError['kind']));
  }
}

const STATE_HINT = 'choose a writable --state-dir';

const LOCK_HINTS: Readonly<Record<LockFault['kind'], string>> = {
  held: 'run the command again when it is free',
  lost: 'run the command again',
  unwritable: 'choose a --state-dir that only you can write to',
};

export type NotRun = Extract<Once, { readonly kind: 'not-run' }>;

/** Returns why a plan did not run, as the end of a command. */
export function notApproved(
  decision: NotRun['decision']['kind'],
  plan: Plan,
  document: object | null = null,
): CommandError {
  switch (decision) {
    case 'refused':
      return new CommandError(
        EXIT.refused,
        'a guard refuses the plan; nothing was written',
        wayAround(plan),
        document,
      );
    case 'invalid':
      return new CommandError(
        EXIT.invalid,
        'cannot apply the manifest to this account; nothing was changed',
        'fix the listed problems',
        document,
      );
    case 'unproven':
      return unproven(plan);
    case 'stale':
      return new CommandError(
        EXIT.stale,
        'the saved plan is stale: it differs from what was approved; nothing was written',
        'make a new plan, and have it reviewed again',
        document,
      );
    case 'declined':
      return commandFailure('not applied; nothing was written', 'type the requested answer to apply it');
  }
}

function unproven(plan: Plan): CommandError {
  const domains = unprovenOf(plan).map(({ domain }) => domain);
  return commandFailure(
    `nothing was written, because ${nameSome(domains)} ${domains.length === 1 ? 'is' : 'are'} withheld`,
    'resolve it and run again, or skip it with --skip-refused',
  );
}

/** Returns what can be done about the guards that refuse. */
function wayAround({ guards }: Plan): string {
  const refusing = guards.filter(({ refuses, allowed }) => refuses && !allowed);
  if (refusing.some(({ holds }) => holds.kind === 'run')) {
    return 'resolve the problem above first';
  }
  const instead = 'skip it with --skip-refused';
  const isAllowable = refusing.every(({ allow }) => allow !== null);
  return isAllowable ? `allow it as the guard says, or ${instead}` : `fix the manifest, or ${instead}`;
}

export function unprovenOf({ withheld }: Plan): readonly Withheld[] {
  return withheld.filter(({ cause }) => cause === 'unproven');
}

const NAMED_DOMAINS = 3;

function nameSome(domains: readonly string[]): string {
  const rest = domains.length - NAMED_DOMAINS;
  const named = domains.slice(0, NAMED_DOMAINS).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}
