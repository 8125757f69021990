import { dumpState, type Dump, type DumpOptions } from './dump.ts';
import type { AccountPlan, Tier } from './model.ts';
import { applySeed, newAccount, type Seed } from './seed.ts';
import { createState, type State, type StoreEnvironment } from './state.ts';
import type { Switches } from './switches.ts';

export interface EmulatorStore {
  /** The account; another object after `replace`. */
  readonly state: State;
  /** A canonical snapshot as plain JSON: equal accounts give equal dumps. It can be used as a seed. */
  dump(options?: DumpOptions): Dump;
  /** An account with the content of this seed takes the place of the one that is here; switches stay as they are. */
  replace(seed: Seed): void;
}

export interface StoreOptions {
  /** Of an account whose seed states none. */
  readonly tier: Tier;
  readonly switches?: Partial<Switches> | undefined;
  readonly environment: StoreEnvironment;
  readonly seed?: Seed | undefined;
  /** Overrides of the plan's limits at the start. */
  readonly limits?: Partial<AccountPlan> | undefined;
}

/** An account with the seed's content. */
export function createStore({ seed, limits, ...options }: StoreOptions): EmulatorStore {
  // The seed itself is not kept: it may be as large as the account.
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
  const ofSeed = seed.tier ?? tier;
  const state = createState({
    tier: ofSeed,
    account: newAccount(ofSeed, environment.now()),
    switches: { ...switches, ...seed.switches },
    environment,
  });
  applySeed(state, seed);
  return state;
}
