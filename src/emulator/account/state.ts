import { refuse, ok, type Checked } from './checked.ts';
import type {
  AccountRecord,
  Alias,
  Credential,
  DomainFields,
  MailKeys,
  MailLog,
  Rule,
  Tier,
  World,
} from './model.ts';
import { byCreation, compareUnits, createTable, type Table } from './table.ts';
import { DEFAULT_SWITCHES, type Switches } from './switches.ts';

/** What the account needs from outside: epoch milliseconds, UUIDs. */
export interface StoreEnvironment {
  readonly now: () => number;
  readonly randomId: () => string;
}

export interface DomainRecord {
  /** In lower case. */
  readonly name: string;
  /** Order of creation within the account; breaks ties of time. */
  readonly sequence: number;
  readonly created_at: number;
  updated_at: number;
  readonly fields: DomainFields;
  readonly aliases: Table<Alias, 'name' | 'id', 'name' | 'created'>;
  readonly rules: Table<Rule, 'id', 'rank' | 'created'>;
  readonly credentials: Table<Credential, 'username', 'created'>;
  readonly logs: Table<MailLog, 'id', 'created'>;
}

/** The whole account. Read it freely; change it through the functions of the files of the kinds. */
export interface State {
  readonly account: AccountRecord;
  tier: Tier;
  readonly whitelabels: string[];
  readonly domains: Table<DomainRecord, 'name', 'name' | 'created'>;
  readonly switches: Switches;
  readonly environment: StoreEnvironment;
  /** DNS records of others; those of the account's domains follow from `dns`. */
  world: World;
  readonly mail: MailKeys;
  /** The latest answers of listings as text, by page, while they are shown late. */
  readonly pastListings: Map<string, readonly string[]>;
  nextAliasId: number;
  nextSequence: number;
}

export interface StateOptions {
  readonly tier: Tier;
  readonly account: AccountRecord;
  readonly switches?: Partial<Switches> | undefined;
  readonly environment: StoreEnvironment;
}

/** An account without domains. */
export function createState(options: StateOptions): State {
  return {
    account: options.account,
    tier: options.tier,
    whitelabels: [],
    domains: createTable<DomainRecord, 'name', 'name' | 'created'>({
      keys: { name: (domain) => domain.name },
      letterCase: 'any',
      orders: { name: (a, b) => compareUnits(a.name, b.name), created: byCreation },
      textOf: (domain) => domain.name,
    }),
    switches: { ...DEFAULT_SWITCHES, ...options.switches },
    environment: options.environment,
    world: {},
    mail: { srs_key: null, dkim_key: null },
    pastListings: new Map(),
    nextAliasId: 1,
    nextSequence: 1,
  };
}

/** The next number of the account-wide order of creation. */
export function takeSequence(state: State): number {
  const sequence = state.nextSequence;
  state.nextSequence += 1;
  return sequence;
}

/** How many there are in the whole account. */
export function countInAccount(state: State, kind: 'aliases' | 'rules'): number {
  let count = 0;
  for (const domain of state.domains.values()) count += domain[kind].size;
  return count;
}

/** Refuses when the account's plan lets no more items in. A limit of 0 or null lets everything in. */
export function checkRoom(
  field: 'domain' | 'alias' | 'rule',
  { limit, used, noun }: { readonly limit: number | null; readonly used: number; readonly noun: string },
): Checked<undefined> {
  if (limit === null || limit === 0 || used < limit) return ok(undefined);
  const message = `Your account is limited to ${limit} ${noun}.`;
  return refuse('overLimitStatus', message, { [field]: [message] });
}
