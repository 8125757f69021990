import { dumpState, type Dump, type DumpOptions } from './dump.ts';
import type { AccountPlan, Tier } from './model.ts';
import { applySeed, newAccount, type Seed } from './seed.ts';
import { createState, type State, type StoreEnvironment } from './state.ts';
import type { Switches } from './switches.ts';

export interface EmulatorStore {
  /** The account. `replace` sets another object. */
  readonly state: State;
  /** A canonical snapshot as plain JSON: equal accounts give equal dumps. It can be used as a seed. */
  dump(options?: DumpOptions): Dump;
  /** Replaces the account with the seed's content. Switches stay unless the seed states them. */
  replace(seed: Seed): void;
}

export interface StoreOptions {
  /** Tier of an account whose seed has none. */
  readonly tier: Tier;
  readonly switches?: Partial<Switches> | undefined;
  readonly environment: StoreEnvironment;
  readonly seed?: Seed | undefined;
  /** Plan limits to use at the start in place of the plan's own. */
  readonly limits?: Partial<AccountPlan> | undefined;
}

/** Creates a store with the seed's content. */
export function createStore({ seed, limits, ...options }: StoreOptions): EmulatorStore {
  // The seed is not kept in memory, because it may be as large as the account.
  let state = seededState(options, seed ?? {});
  Object.assign(state.account.plan, limits);
  return {
    get state() {
      return state;
    },
    dump: (dumpOptions) => dumpState(state, dumpOptions),
    replace(next) {
      const { switches, mail } = state;
      state = seededState({ ...options, switches }, { ...next, mail: { ...mail, ...next.mail } });
    },
  };
}

function seededState(
  { tier, switches, environment }: Omit<StoreOptions, 'seed' | 'limits'>,
  seed: Seed,
): State {
  const seedTier = seed.tier ?? tier;
  const state = createState({
    tier: seedTier,
    account: newAccount(seedTier, environment.now()),
    switches: { ...switches, ...seed.switches },
    environment,
  });
  applySeed(state, seed);
  return state;
}
