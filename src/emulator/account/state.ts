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

/** The store's clock (epoch milliseconds) and source of UUIDs. */
export interface StoreEnvironment {
  readonly now: () => number;
  readonly randomId: () => string;
}

export interface DomainRecord {
  /** The name in lower case. */
  readonly name: string;
  /** Order of creation within the account; decides between equal times. */
  readonly sequence: number;
  readonly created_at: number;
  updated_at: number;
  readonly fields: DomainFields;
  readonly aliases: Table<Alias, 'name' | 'id', 'name' | 'created'>;
  readonly rules: Table<Rule, 'id', 'rank' | 'created'>;
  readonly credentials: Table<Credential, 'username', 'created'>;
  readonly logs: Table<MailLog, 'id', 'created'>;
}

/** The whole account. Read it freely; change it only through the functions in the file of each kind. */
export interface State {
  readonly account: AccountRecord;
  tier: Tier;
  readonly whitelabels: string[];
  readonly domains: Table<DomainRecord, 'name', 'name' | 'created'>;
  readonly switches: Switches;
  readonly environment: StoreEnvironment;
  /** DNS records of domains outside the account. The account's own records follow from `dns`. */
  world: World;
  readonly mail: MailKeys;
  /** Recent answers of listings as text, by page. Filled only while the switch `listingLag` delays listings. */
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

/** Creates an account without domains. */
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

/** Returns the next number in the account's order of creation. */
export function takeSequence(state: State): number {
  const sequence = state.nextSequence;
  state.nextSequence += 1;
  return sequence;
}

/** Returns the number of aliases or rules in the whole account. */
export function countInAccount(state: State, kind: 'aliases' | 'rules'): number {
  let count = 0;
  for (const domain of state.domains.values()) count += domain[kind].size;
  return count;
}

/** Refuses if the account's plan has no room for another item. A limit of 0 or null means unlimited. */
export function checkRoom(
  field: 'domain' | 'alias' | 'rule',
  { limit, used, noun }: { readonly limit: number | null; readonly used: number; readonly noun: string },
): Checked<undefined> {
  if (limit === null || limit === 0 || used < limit) return ok(undefined);
  const message = `Your account is limited to ${limit} ${noun}.`;
  return refuse('overLimitStatus', message, { [field]: [message] });
}
