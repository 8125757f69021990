import { dumpState, type Dump, type DumpOptions } from './dump.ts';
import { applySeed, type Seed } from './seed.ts';
import { createState, type State, type StateOptions } from './state.ts';

export interface EmulatorStore {
  readonly state: State;
  /** A canonical snapshot as plain JSON: equal accounts give equal dumps. It can be used as a seed. */
  dump(options?: DumpOptions): Dump;
}

/** An account with the seed's content. */
export function createStore(options: StateOptions & { readonly seed?: Seed | undefined }): EmulatorStore {
  const state = createState(options);
  applySeed(state, options.seed ?? {});
  return { state, dump: (dumpOptions) => dumpState(state, dumpOptions) };
}
