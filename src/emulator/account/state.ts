import type { AccountRecord, Alias, Credential, DomainFields, MailLog, Rule, Tier } from './model.ts';
import { compareUnits, createIndex, type SortedIndex } from '../index/sorted.ts';
import { DEFAULT_SWITCHES, type Switches } from './switches.ts';

/** What the store needs from outside: epoch milliseconds, UUIDs. */
export interface StoreEnvironment {
  readonly now: () => number;
  readonly randomId: () => string;
}

export interface DomainRecord extends DomainFields {
  /** In lower case. */
  readonly name: string;
  /** Order of creation within the account; breaks ties of time. */
  readonly sequence: number;
  readonly createdAt: number;
  updatedAt: number;
  readonly aliases: AliasTable;
  readonly rules: RuleTable;
  readonly credentials: CredentialTable;
  readonly logs: LogTable;
}

export interface AliasTable {
  readonly byId: Map<number, Alias>;
  /** Keys are lower case unless names are case sensitive. */
  readonly byName: Map<string, Alias>;
  readonly inNameOrder: SortedIndex<Alias>;
  /** What `inNameOrder` compares. */
  readonly nameOrder: Switches['nameOrder'];
  readonly inCreatedOrder: SortedIndex<Alias>;
  /** Those whose names are regular expressions, in order of creation. */
  readonly patterns: SortedIndex<Alias>;
}

export interface RuleTable {
  /** Keys are lower case. */
  readonly byId: Map<string, Rule>;
  readonly inRankOrder: SortedIndex<Rule>;
  readonly inCreatedOrder: SortedIndex<Rule>;
}

export interface CredentialTable {
  /** Keys are lower case. */
  readonly byUsername: Map<string, Credential>;
  readonly inCreatedOrder: SortedIndex<Credential>;
}

export interface LogTable {
  readonly byId: Map<string, MailLog>;
  readonly inCreatedOrder: SortedIndex<MailLog>;
}

/** The whole account. Read it freely; change it through the functions of the store-*.ts files. */
export interface State {
  readonly account: AccountRecord;
  tier: Tier;
  readonly whitelabels: string[];
  /** Keys are lower case. */
  readonly domains: Map<string, DomainRecord>;
  readonly domainsInNameOrder: SortedIndex<DomainRecord>;
  readonly domainsInCreatedOrder: SortedIndex<DomainRecord>;
  /** Which domains have a rule of this id, in lower case; domains may share one. */
  readonly ruleHolders: Map<string, Set<DomainRecord>>;
  readonly switches: Switches;
  readonly environment: StoreEnvironment;
  /** The latest answers of listings as text, by page, while they are shown late. */
  readonly pastListings: Map<string, readonly string[]>;
  aliasCount: number;
  ruleCount: number;
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
    domains: new Map(),
    domainsInNameOrder: createIndex(byDomainName, domainText),
    domainsInCreatedOrder: createIndex(byDomainCreation, domainText),
    ruleHolders: new Map(),
    switches: { ...DEFAULT_SWITCHES, ...options.switches },
    environment: options.environment,
    pastListings: new Map(),
    aliasCount: 0,
    ruleCount: 0,
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

function domainText({ name }: DomainRecord): string {
  return name;
}

function byDomainName(a: DomainRecord, b: DomainRecord): number {
  return compareUnits(a.name, b.name);
}

function byDomainCreation(a: DomainRecord, b: DomainRecord): number {
  return a.createdAt - b.createdAt || a.sequence - b.sequence;
}
