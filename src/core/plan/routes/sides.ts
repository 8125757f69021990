import type { Desired } from '../../model/desired.ts';
import { nameKey, type DomainName } from '../../model/names.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import type { Change, Plan } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { lazily } from '../../routing/lazily.ts';
import { takesAllOf } from '../../routing/reach.ts';
import { createRouter } from '../../routing/route.ts';
import type { DomainRoutes } from '../../routing/ways.ts';
import { matchParts } from '../../fields/condition.ts';
import { liveAliases, type LiveAliases, type RoutedItem } from './aliases.ts';
import { keepLatest, TABLES_KEPT } from './latest.ts';
import { engineOf, finalTable, isKnown, type PlanTable, type RankedItem, type Reading } from './tables.ts';

/** The inputs of routes. */
export interface RoutesInput extends Pick<Plan, 'changes' | 'adoptions'> {
  readonly desired: Pick<Desired, 'domains'>;
  readonly observed: Pick<Observed, 'account' | 'domains' | 'unproven'>;
}

/** A domain before or after the changes, in one reading. */
export interface DomainSide {
  readonly routing: DomainRoutes<RoutedItem, RankedItem>;
  /** The engine that routes the domain's mail; null if none does or it is unknown. */
  readonly engine: PlanTable['mode'] | null;
  /** Returns the alias of a name, if aliases route the domain's mail. */
  readonly aliasOf: (name: string) => RoutedItem | null;
  /** Returns the rule that takes all mail of a condition; null if none does. */
  readonly takerOf: (match: RuleMatch) => RankedItem | null;
}

/** The account before or after the changes, in one reading. Domains are prepared on demand. */
export type Side = (domain: string) => DomainSide;

export interface Sides {
  readonly before: Side;
  readonly after: Side;
}

const LISTED: Reading = { engine: 'aliases', anchoring: 'anywhere', fallback: 'account' };
const BY_RULES: Reading = { ...LISTED, engine: 'rules' };

/**
 * Reads the account before and after the changes. If it does not show the engine of a domain, `listed` assumes aliases
 * and `otherwise` rules; `otherwise` is null if no such domain has active rules. Domains whose active rules are not
 * known stay with their aliases, if the manifest manages those. Both assume that mail that no rule takes goes to the
 * account's address; `withoutFallback` assumes that it is dropped, and is null if the account shows where it goes.
 */
export function readSides(input: RoutesInput): {
  readonly listed: Sides;
  readonly otherwise: Sides | null;
  readonly withoutFallback: Sides | null;
} {
  const own = Map.groupBy(input.changes, ({ domain }) => domain);
  const byRules = new Set<string>(
    input.desired.domains.keys().filter((domain) => mayUseRules(domain, input.observed, own.get(domain))),
  );
  const isByRules = (domain: string): boolean => byRules.has(domain) || mayHaveRules(domain, input);
  const aliasesOf = keepLatest(TABLES_KEPT, (domain) =>
    liveAliases(input.observed.domains.get(domain as DomainName)),
  );
  const sides = (readingOf: (domain: string) => Reading): Sides => ({
    before: createSide({ ...input, aliasesOf }, readingOf, () => undefined),
    after: createSide({ ...input, aliasesOf }, readingOf, (domain) => own.get(domain)),
  });
  const byEngine = (domain: string): Reading => (isByRules(domain) ? BY_RULES : LISTED);
  const hidesFallback = input.observed.domains
    .values()
    .some(
      ({ routingEngine, rulesFallbackEmail }) =>
        routingEngine === 'rules' && rulesFallbackEmail === undefined,
    );
  return {
    listed: sides(() => LISTED),
    otherwise: byRules.size === 0 ? null : sides(byEngine),
    withoutFallback:
      byRules.size === 0 && !hidesFallback
        ? null
        : sides((domain) => ({ ...byEngine(domain), fallback: 'nowhere' })),
  };
}

/** Returns the section that decides about mail to a domain whose way is unknown, because it was not read. */
export function decidingSection({ observed }: RoutesInput, domain: string): string {
  const live = observed.domains.get(domain as DomainName);
  return `${domain}/${engineOf(live, live?.aliases === undefined ? LISTED : BY_RULES)}`;
}

/** True if a domain may be routed by rules: its engine is not known, and it has active rules. */
function mayUseRules(
  domain: DomainName,
  { domains }: RoutesInput['observed'],
  changes: readonly Change[] | undefined,
): boolean {
  const live = domains.get(domain);
  if (live?.routingEngine !== undefined) return false;
  const added = changes?.some((change) => change.kind === 'rule' && change.desired?.active === true);
  return added === true || live?.rules?.some(({ active }) => active) === true;
}

/** True if a domain's rules were not read, and the manifest does not manage its aliases. */
function mayHaveRules(domain: string, { desired, observed }: RoutesInput): boolean {
  const live = observed.domains.get(domain as DomainName);
  const wanted = desired.domains.get(domain as DomainName);
  if (live === undefined || (wanted?.state === 'present' && wanted.aliases !== undefined)) return false;
  return live.rules === undefined;
}

export const NO_TABLE = { engine: null, aliasOf: () => null, takerOf: () => null } as const;
const UNKNOWN: DomainSide = { ...NO_TABLE, routing: 'unknown' };
const OUTSIDE: DomainSide = { ...NO_TABLE, routing: 'outside' };
const REFUSING: DomainSide = { ...NO_TABLE, routing: () => [{ kind: 'refused' }] };

const NONE: ReadonlySet<Change> = new Set();

/** The input of both sides of a domain, with what they share. */
interface SideInput extends Pick<RoutesInput, 'desired' | 'observed'> {
  readonly aliasesOf: (domain: string) => LiveAliases;
}

/** Creates the account in one reading. Domains are prepared on demand. */
export function createSide(
  input: SideInput,
  readingOf: (domain: string) => Reading,
  changesOf: (domain: DomainName) => readonly Change[] | undefined,
): Side {
  return keepLatest(TABLES_KEPT, (text) => {
    const domain = text as DomainName;
    return makeSide(domain, input, readingOf(domain), changesOf(domain));
  });
}

function makeSide(
  domain: DomainName,
  { desired, observed, aliasesOf }: SideInput,
  reading: Reading,
  changes: readonly Change[] | undefined,
): DomainSide {
  const live = observed.domains.get(domain);
  const wanted = desired.domains.get(domain);
  if (observed.unproven.has(domain)) return UNKNOWN;
  // A tombstone of a domain that is gone. Its new owner, if any, routes its mail.
  if (live === undefined && wanted?.state !== 'present') return OUTSIDE;
  if (isRefusing(live, changes)) return REFUSING;
  if (live !== undefined && !isKnown(live, reading)) return unreadSide(live, reading, wanted === undefined);
  return sideOf({ engine: engineOf(live, reading), anchoring: reading.anchoring }, () =>
    finalTable(live, aliasesOf(domain), changes ?? NONE, { accountEmail: observed.account.email, reading }),
  );
}

/** A domain that the manifest does not name is read only if that costs little. */
function unreadSide(live: ObservedDomain, { refusesUnread }: Reading, isUnnamed: boolean): DomainSide {
  if (refusesUnread) return REFUSING;
  return isUnnamed && live.aliases === undefined ? OUTSIDE : UNKNOWN;
}

/** Creates a side that builds its table on demand, because often only the engine is needed. */
function sideOf(
  { engine, anchoring }: Pick<Reading, 'engine' | 'anchoring'>,
  makeTable: () => PlanTable,
): DomainSide {
  const table = lazily(makeTable);
  const router = lazily(() => createRouter(table()));
  return {
    engine,
    routing: (mail) => router().routes(mail, anchoring),
    aliasOf: engine === 'aliases' ? aliasesIn(table) : NO_TABLE.aliasOf,
    takerOf: engine === 'rules' ? rulesIn(table) : NO_TABLE.takerOf,
  };
}

/** True if the account does not have the domain after the changes, or does not route its mail. */
function isRefusing(live: ObservedDomain | undefined, changes: readonly Change[] | undefined): boolean {
  const own = changes?.find(({ kind, action }) => kind === 'domain' && action !== 'update');
  const isThere = own === undefined ? live !== undefined : own.action === 'add';
  return !isThere || live?.routingEngine === null;
}

function aliasesIn(table: () => PlanTable): DomainSide['aliasOf'] {
  return (name) => table().aliases.named(nameKey(name)) ?? null;
}

/** Returns a lookup of the first active rule that takes all mail of a condition, as far as the texts show. */
function rulesIn(table: () => PlanTable): DomainSide['takerOf'] {
  const rules = lazily(() => [...table().rules].filter(({ active }) => active));
  return (match) => rules().find((rule) => takesAllOf(rule.match, match)) ?? null;
}

/** Returns a key that is equal for rules with the same condition. */
export function conditionKey(match: RuleMatch): string {
  return JSON.stringify(matchParts(match));
}
