import type { Desired } from '../../model/desired.ts';
import { nameKey, type DomainName } from '../../model/names.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import type { Change, Plan } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { lazily } from '../../routing/lazily.ts';
import { createRouter, type Mail } from '../../routing/route.ts';
import type { DomainRoutes } from '../../routing/ways.ts';
import { matchParts } from '../../fields/condition.ts';
import { stageOneChanges } from '../withhold.ts';
import { liveAliases, type LiveAliases, type RoutedItem } from './aliases.ts';
import type { PlanRoute } from './choices.ts';
import { ANY_OTHER } from './known-addresses.ts';
import { keepLatest, TABLES_KEPT } from './latest.ts';
import { engineOf, finalTable, isKnown, type PlanTable, type RankedItem, type Reading } from './tables.ts';

/** What routes are worked out from; `domains`: those that are planned. */
export interface RoutesInput extends Pick<Plan, 'changes' | 'adoptions'> {
  readonly desired: Pick<Desired, 'domains'>;
  readonly observed: Pick<Observed, 'account' | 'domains' | 'unproven'>;
}

/** A domain before or after the changes, in one reading. */
export interface DomainSide {
  readonly routing: DomainRoutes<RoutedItem, RankedItem>;
  /** Which engine routes its mail; null: none does, or it is not known. */
  readonly engine: PlanTable['mode'] | null;
  /** The alias of that name where aliases route its mail. */
  readonly aliasOf: (name: string) => RoutedItem | null;
  /** The rule to which mail comes that a condition describes; null: no rule takes it for that. */
  readonly takerOf: (match: RuleMatch) => RankedItem | null;
}

/** The account before or after the changes, in one reading; domains are made ready when they are asked for. */
export type Side = (domain: string) => DomainSide;

export interface Sides {
  readonly before: Side;
  readonly after: Side;
}

const LISTED: Reading = { engine: 'aliases', anchoring: 'anywhere', fallback: 'account' };
const BY_RULES: Reading = { ...LISTED, engine: 'rules' };

/**
 * The account before and after the changes. Where it does not tell the engine of a domain, by aliases; and once more by the
 * rules of such domains, which is null where none of them has active rules.
 */
export function readSides(input: RoutesInput): { readonly listed: Sides; readonly otherwise: Sides | null } {
  const own = Map.groupBy(input.changes, ({ domain }) => domain);
  const byRules = new Set<string>(
    input.desired.domains.keys().filter((domain) => mayUseRules(domain, input.observed, own.get(domain))),
  );
  const aliasesOf = keepLatest(TABLES_KEPT, (domain) =>
    liveAliases(input.observed.domains.get(domain as DomainName)),
  );
  const sides = (readingOf: (domain: string) => Reading): Sides => ({
    before: createSide({ ...input, aliasesOf }, readingOf, () => []),
    after: createSide({ ...input, aliasesOf }, readingOf, (domain) => own.get(domain) ?? []),
  });
  return {
    listed: sides(() => LISTED),
    otherwise: byRules.size === 0 ? null : sides((domain) => (byRules.has(domain) ? BY_RULES : LISTED)),
  };
}

/** Which section decides about mail to a domain that could not be followed there. */
export function decidingSection({ observed }: RoutesInput, domain: string): string {
  const live = observed.domains.get(domain as DomainName);
  return `${domain}/${engineOf(live, LISTED)}`;
}

/** A domain without active rules has no use for the engine of rules. */
function mayUseRules(
  domain: DomainName,
  { domains }: RoutesInput['observed'],
  changes: readonly Change[] = [],
): boolean {
  const live = domains.get(domain);
  if (live?.routingEngine !== undefined) return false;
  const added = changes.some((change) => change.kind === 'rule' && change.desired?.active === true);
  return added || (live?.rules ?? []).some(({ active }) => active);
}

const NO_TABLE = { engine: null, aliasOf: () => null, takerOf: () => null } as const;
const UNKNOWN: DomainSide = { ...NO_TABLE, routing: 'unknown' };
const OUTSIDE: DomainSide = { ...NO_TABLE, routing: 'outside' };
const REFUSING: DomainSide = { ...NO_TABLE, routing: () => [{ kind: 'refused' }] };

/** With what both sides of a domain share. */
interface SideInput extends RoutesInput {
  readonly aliasesOf: (domain: string) => LiveAliases;
}

/**
 * The account in one reading: as it is, after the changes of stage 1, and after all. `meanwhile`: any of these at each address, for
 * a run may end with some of the changes made.
 */
export interface StagedSides extends Sides {
  readonly between: Side;
  readonly meanwhile: Side;
}

/** What changes in the domains of an account, and what is left out of how they are now. */
export interface StagedChanges {
  readonly changesIn: (domain: DomainName) => readonly Change[];
  /** Names of aliases that count as not there before. */
  readonly ignoredIn: (domain: DomainName) => ReadonlySet<string>;
}

export function readStages(
  { desired, observed }: Pick<RoutesInput, 'desired' | 'observed'>,
  reading: Reading,
  { changesIn, ignoredIn }: StagedChanges,
): StagedSides {
  const input = { desired, observed, changes: [], adoptions: [] };
  const aliasesOf = keepLatest(TABLES_KEPT, (domain) =>
    liveAliases(observed.domains.get(domain as DomainName)),
  );
  const reliedOn = keepLatest(TABLES_KEPT, (domain) => {
    const live = observed.domains.get(domain as DomainName);
    const ignored = ignoredIn(domain as DomainName);
    if (ignored.size === 0) return aliasesOf(domain);
    return liveAliases({ aliases: [...(live?.aliases ?? [])].filter(({ name }) => !ignored.has(name)) });
  });
  const made = (aliases: typeof aliasesOf, changesOf: (domain: DomainName) => readonly Change[]): Side =>
    createSide({ ...input, aliasesOf: aliases }, () => reading, changesOf);
  const before = made(reliedOn, () => []);
  const between = made(reliedOn, (domain) => stageOneChanges(changesIn(domain)));
  const after = made(aliasesOf, changesIn);
  const meanwhile = keepLatest(TABLES_KEPT, (domain) =>
    anyOf(domain, [before(domain), between(domain), after(domain)]),
  );
  return { before, between, after, meanwhile };
}

/** A domain in which mail goes where it goes in any of these. */
function anyOf(domain: string, sides: readonly DomainSide[]): DomainSide {
  const routings = sides.map(({ routing }) => routing);
  const [first] = sides;
  const closed = routings.find((routing) => typeof routing === 'string');
  if (first === undefined || closed !== undefined) return { ...NO_TABLE, routing: closed ?? 'unknown' };
  const toOthers: Mail = { to: `${ANY_OTHER}@${domain}`, from: '', subject: '', body: '' };
  const find = <Item extends RoutedItem>(itemOf: (side: DomainSide) => Item | null): Item | null => {
    const items = sides.map((side) => itemOf(side));
    const found = items.find((item) => item !== null);
    if (found === undefined) return null;
    // Where it is missing, its mail is like that to every other address.
    return {
      ...found,
      forward: distinct(items.map((item, index) => item ?? usualRoute(routings[index], toOthers))),
    };
  };
  return {
    engine: first.engine,
    routing(mail) {
      const taking = routings.flatMap((routing) => usualRoute(routing, mail) ?? []);
      const [taken] = taking;
      return [taken === undefined ? { kind: 'refused' } : { ...taken, forward: distinct(taking) }];
    },
    aliasOf: (name) => find(({ aliasOf }) => aliasOf(name)),
    takerOf: (match) => find(({ takerOf }) => takerOf(match)),
  };
}

/** Returns what takes mail usually; null: it is refused, or that is not known. */
function usualRoute(
  routing: DomainSide['routing'] | undefined,
  mail: Mail,
): Exclude<PlanRoute, { readonly kind: 'refused' }> | null {
  const routes = typeof routing === 'function' ? routing(mail) : [];
  const [usual] = typeof routes === 'string' ? [] : routes;
  return usual === undefined || usual.kind === 'refused' ? null : usual;
}

function distinct(takers: readonly (Pick<RoutedItem, 'forward'> | null)[]): RoutedItem['forward'] {
  return [...new Set(takers.flatMap((taker) => taker?.forward ?? []))];
}

function createSide(
  input: SideInput,
  readingOf: (domain: string) => Reading,
  changesOf: (domain: DomainName) => readonly Change[],
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
  changes: readonly Change[],
): DomainSide {
  const live = observed.domains.get(domain);
  const wanted = desired.domains.get(domain);
  if (observed.unproven.has(domain)) return UNKNOWN;
  // A tombstone of what is gone: whoever has the domain now routes its mail.
  if (live === undefined && wanted?.state !== 'present') return OUTSIDE;
  if (isRefusing(live, changes)) return REFUSING;
  // A domain that the manifest does not name is read only where that costs little.
  if (live !== undefined && !isKnown(live, reading)) return wanted === undefined ? OUTSIDE : UNKNOWN;
  return sideOf({ engine: engineOf(live, reading), anchoring: reading.anchoring }, () =>
    finalTable(live, aliasesOf(domain), changes, { accountEmail: observed.account.email, reading }),
  );
}

/** Nothing is made of a domain of which only the engine is asked. */
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

/** True if the account does not have the domain once the changes were made, or routes none of its mail. */
function isRefusing(live: ObservedDomain | undefined, changes: readonly Change[]): boolean {
  const own = changes.find(({ kind, action }) => kind === 'domain' && action !== 'update');
  const isThere = own === undefined ? live !== undefined : own.action === 'add';
  return !isThere || live?.routingEngine === null;
}

function aliasesIn(table: () => PlanTable): DomainSide['aliasOf'] {
  return (name) => table().aliases.named(nameKey(name)) ?? null;
}

/** The first of the active rules with a condition, unless one comes before it that takes all mail. */
function rulesIn(table: () => PlanTable): DomainSide['takerOf'] {
  const found = lazily(() => findTakers(table().rules));
  return (match) => found().byCondition.get(conditionKey(match)) ?? found().ofEverything;
}

interface Takers {
  readonly byCondition: ReadonlyMap<string, RankedItem>;
  readonly ofEverything: RankedItem | null;
}

function findTakers(rules: PlanTable['rules']): Takers {
  const byCondition = new Map<string, RankedItem>();
  for (const rule of rules) {
    if (!rule.active) continue;
    if (takesEverything(rule.match)) return { byCondition, ofEverything: rule };
    const key = conditionKey(rule.match);
    if (!byCondition.has(key)) byCondition.set(key, rule);
  }
  return { byCondition, ofEverything: null };
}

/** Whether a rule's condition is met by every mail, as far as its text alone tells. */
export function takesEverything(match: RuleMatch): boolean {
  switch (match.type) {
    case 'alias':
      return match.alias === '*' || ANYTHING.test(match.alias);
    case 'regex':
      return match.regex === '' || ANYTHING.test(match.regex);
    case 'cel':
      return match.expression.trim() === 'true';
  }
}

const ANYTHING = /^\^?\(?\.\*\)?\$?$/;

/** Equal where two rules take the same mail by the same means. */
export function conditionKey(match: RuleMatch): string {
  return JSON.stringify(matchParts(match));
}
