import type { ApplyFault } from '../../../apply/apply.ts';
import type { LockFault } from '../../../state/store.ts';
import type { Plan, Withheld } from '../../../model/plan.ts';
import type { Once } from '../../../reconcile/once.ts';
import { apiFailure } from '../../input/connect.ts';
import { CommandError, EXIT } from '../../exit.ts';

/** Why a run did not come to write anything, as the end of a command. */
export function notRun(once: Exclude<Once, { readonly kind: 'applied' }>): CommandError {
  switch (once.kind) {
    case 'unread':
      return apiFailure(once.error);
    case 'locked':
      return new CommandError(EXIT.failed, once.fault.message, LOCK_HINTS[once.fault.kind]);
    case 'fault':
      return notStarted(once.fault);
    case 'not-run':
      return notApproved(once);
  }
}

const LOCK_HINTS: Readonly<Record<LockFault['kind'], string>> = {
  held: 'run the command again when it is free',
  lost: 'run the command again',
  unwritable: 'make --state-dir a directory that only you can write to',
};

function notStarted(fault: ApplyFault): CommandError {
  if (fault.kind === 'no-snapshot') {
    return new CommandError(EXIT.failed, fault.message, 'make --state-dir a place that can be written to');
  }
  const [first] = fault.problems;
  return new CommandError(
    EXIT.invalid,
    'a password that the plan needs cannot be sent; nothing was written',
    first?.hint ?? 'set what the manifest refers to',
  );
}

export type NotRun = Extract<Once, { readonly kind: 'not-run' }>;

function notApproved({ decision, planned }: NotRun): CommandError {
  switch (decision.kind) {
    case 'refused':
      return new CommandError(
        EXIT.refused,
        'a guard refuses the plan; nothing was written',
        wayAround(planned.plan),
      );
    case 'invalid':
      return new CommandError(
        EXIT.invalid,
        'the manifest does not fit the account; nothing was written',
        'mend it as the problems say',
      );
    case 'unproven':
      return unproven(planned.plan);
    case 'stale':
      return new CommandError(
        EXIT.stale,
        'the saved plan is stale: this is not what it approved; nothing was written',
        'make a plan again, and have it reviewed again',
      );
    case 'declined':
      return new CommandError(EXIT.failed, 'not applied; nothing was written', 'answer as asked to apply it');
  }
}

function unproven(plan: Plan): CommandError {
  const domains = unprovenOf(plan).map(({ domain }) => domain);
  return new CommandError(
    EXIT.failed,
    `nothing was written, for ${nameSome(domains)} ${domains.length === 1 ? 'is' : 'are'} withheld`,
    'see to it and run again, or leave it out with --skip-refused',
  );
}

/** What guards that refuse leave to do. */
function wayAround({ guards }: Plan): string {
  const refusing = guards.filter(({ refuses, allowed }) => refuses && !allowed);
  if (refusing.some(({ holds }) => holds.kind === 'run')) {
    return 'put right what stands in the way of the whole run';
  }
  const instead = 'leave it out with --skip-refused';
  const isAllowable = refusing.every(({ allow }) => allow !== null);
  return isAllowable ? `allow it as the guard says, or ${instead}` : `mend the manifest, or ${instead}`;
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
