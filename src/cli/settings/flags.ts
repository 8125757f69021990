/** Flags that several commands take, as commander hands them over; those that were given, and no others. */
export interface GivenFlags extends Allowances {
  readonly file?: readonly string[];
  /** Directory of the manifests of many accounts. */
  readonly accounts?: string;
  readonly domain?: readonly string[];
  readonly maxEntries?: number;
  readonly against?: string;
  readonly apiUrl?: string;
  readonly apiVersion?: string;
  readonly account?: string;
  readonly stateDir?: string;
  readonly store?: string;
  readonly history?: string;
  /** Time after which a silent worker's accounts go to others. */
  readonly jobExpiry?: string;
  readonly format?: string;
  readonly mask?: true;
  readonly color?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly driftUrl?: string;
  readonly out?: string;
  /** A manifest to make an account from. */
  readonly from?: string;
  readonly quick?: true;
}

/** Flags that decide what happens to changes that a guard refuses. */
export interface Allowances {
  readonly allowDeletes?: number;
  readonly allowReroutes?: number;
  readonly allowDomainDelete?: readonly string[];
  readonly allowEmpty?: readonly string[];
  readonly allowUnrouted?: readonly string[];
  readonly rotate?: readonly string[];
  readonly skipRefused?: true;
}

export const ALLOWANCES = [
  'allowDeletes',
  'allowReroutes',
  'allowDomainDelete',
  'allowEmpty',
  'allowUnrouted',
  'rotate',
  'skipRefused',
] as const satisfies readonly (keyof Allowances)[];

/** Returns those of the flags that are allowances. */
export function pickAllowances(flags: Allowances): Allowances {
  return Object.fromEntries(
    ALLOWANCES.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]),
  );
}

/** Returns a flag as it is typed: `--allow-deletes` for `allowDeletes`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The variable for each flag, used if the flag is not given. */
export const VARIABLES = {
  file: 'FWDSYNC_FILE',
  accounts: 'FWDSYNC_ACCOUNTS',
  maxEntries: 'FWDSYNC_MAX_ENTRIES',
  apiUrl: 'FWDSYNC_API_URL',
  apiVersion: 'FWDSYNC_API_VERSION',
  account: 'FWDSYNC_ACCOUNT',
  stateDir: 'FWDSYNC_STATE_DIR',
  store: 'FWDSYNC_STORE',
  history: 'FWDSYNC_HISTORY',
  format: 'FWDSYNC_FORMAT',
  mask: 'FWDSYNC_MASK',
  logLevel: 'FWDSYNC_LOG_LEVEL',
  logFormat: 'FWDSYNC_LOG_FORMAT',
  driftUrl: 'FWDSYNC_DRIFT_URL',
} as const satisfies Partial<Record<keyof GivenFlags, string>>;
