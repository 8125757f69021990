import { memoryOf } from './apply/memory/memory.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Desired } from '../core/model/desired.ts';
import type { BaselineEntry, RunOrigin } from '../core/model/history/entries.ts';
import { accountEntryKey } from '../core/kinds/item-key.ts';
import type { DomainName } from '../core/model/names.ts';
import type { Observed } from '../core/model/observed.ts';
import { NO_PRIOR } from '../core/model/prior.ts';
import { fail, succeed, type Result } from '../core/model/result.ts';
import { makePlan, type PlanInput } from '../core/plan/plan.ts';
import { manifestSize, prunesAnything } from '../core/plan/size.ts';
import type { StateFault, StateStore } from './state/store.ts';
import { keepDomains, keyedDigests } from './domain-digests.ts';

export interface BaselineInput {
  /** The manifest that was written, and the account that it was written from. */
  readonly desired: Desired;
  readonly observed: Observed;
  readonly api: PlanInput['api'];
  readonly hmac: (text: string) => string;
  /** The author of the baseline. */
  readonly who: Pick<RunOrigin, 'host' | 'user' | 'actor'>;
}

/**
 * Remembers domains as a run would that had applied them, so that drift, `blame` and `no-longer-managed` work from now on: those
 * that are as the manifest says, and of which the state has nothing. Returns their names.
 */
export async function recordBaseline(
  state: StateStore,
  clock: Clock,
  input: BaselineInput,
): Promise<Result<readonly DomainName[], StateFault>> {
  const lock = await state.lock();
  if (!lock.ok) return lock;
  try {
    const { prior, warnings } = await state.prior();
    if (warnings[0] !== undefined) return fail(warnings[0]);
    const isNew = (name: DomainName): boolean => !prior.domains.has(name);
    return await remember(state, clock, { ...input, desired: inPlace(input, clock, isNew) });
  } finally {
    await lock.value.release();
  }
}

/** Returns the part of a manifest about new domains that were read and from which nothing differs. */
function inPlace(
  { desired: whole, observed, api }: BaselineInput,
  clock: Clock,
  isNew: (name: DomainName) => boolean,
): Desired {
  const desired = keepDomains(whole, isNew);
  const { changes, withheld } = makePlan({
    desired,
    observed,
    policy: {
      guards: desired.guards,
      allowances: [],
      account: null,
      accountRequired: false,
      rotate: [],
      domainDeletes: 'never',
    },
    prior: NO_PRIOR,
    now: clock.now(),
    api,
  });
  const differing = new Set([...changes, ...withheld].map(({ domain }) => domain));
  return keepDomains(desired, (name) => observed.domains.has(name) && !differing.has(name));
}

async function remember(
  state: StateStore,
  clock: Clock,
  { desired, observed, hmac, who }: BaselineInput,
): Promise<Result<readonly DomainName[], StateFault>> {
  const domains = [...desired.domains.keys()];
  if (domains.length === 0) return succeed([]);
  const at = new Date(clock.now()).toISOString();
  const entries = domains.map((domain): BaselineEntry => {
    const keys = [accountEntryKey(domain, 'domain', domain)];
    return { entry: 'item-baseline', at, keys, account: observed.account.email, ...who };
  });
  const memory = memoryOf({
    desired,
    observed,
    inSyncDigests: keyedDigests(desired, hmac),
    prior: NO_PRIOR,
    plan: { guards: [] },
    adoptions: [],
    unread: new Set(),
    open: new Set(),
    keptOtherwise: new Map(),
    passwords: new Map(),
    added: new Map(),
    size: prunesAnything(desired) ? manifestSize(desired) : null,
    verified: new Map(),
  });
  for (const write of [
    () => state.rememberReferences(desired.references),
    () => state.history.append(entries, 'synced'),
    () => state.remember(memory),
  ]) {
    const written = await write();
    if (!written.ok) return written;
  }
  return succeed(domains);
}
