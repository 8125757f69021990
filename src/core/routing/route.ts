import { normaliseDestination, sameDestinations, type Destination } from '../model/destinations.ts';
import { domainPartOf, localPartOf, takesOthers } from '../model/names.ts';
import type { RuleMatch, Scope } from '../model/resources.ts';
import { compileExpression } from './cel.ts';
import { lazily } from './lazily.ts';
import { aliasCondition, matcherOf, type NameVerdict } from './name-match.ts';
import { compilePattern } from './regex.ts';
import { assumingTest, type Unseen } from './unseen.ts';

export interface RoutedAlias {
  readonly name: string;
  readonly forward: readonly Destination[];
}

export interface RoutedRule {
  readonly match: RuleMatch;
  readonly forward: readonly Destination[];
  readonly active: boolean;
}

/** The entries and settings that route mail to one domain. */
export interface RoutingTable<A extends RoutedAlias, R extends RoutedRule> {
  readonly aliases: Iterable<A> | AliasIndex<A>;
  /** Rules in order of evaluation: ascending rank. */
  readonly rules: Iterable<R>;
  /**
   * `aliases` and `rules` are the service's two engines. `rules-then-aliases` is for a manifest, which cannot know
   * the engine: a mail that no rule takes is routed by the aliases.
   */
  readonly mode: 'aliases' | 'rules' | 'rules-then-aliases';
  /** Destination of mail that no rule takes, in mode `rules`. null means that it is unknown; such mail is `refused`. */
  readonly fallback: Destination | null;
}

/** Aliases that are already indexed, so that a router need not index them again. */
export interface AliasIndex<A> extends Iterable<A> {
  /** Finds an alias by its name in lower case. */
  readonly get: (name: string) => A | undefined;
  /** Aliases that may take mail to other names, in their order, without `*`. */
  readonly patterns: readonly A[];
}

export interface Mail {
  /** A complete address. */
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly body: string;
  /** The unknown parts of the message. Absent means that all parts are known. */
  readonly unseen?: Unseen | undefined;
}

/** The part of a scope that a rule's regular expression must match: a part `anywhere`, or the `whole`. */
export type Anchoring = 'anywhere' | 'whole';

export type Route<A, R> =
  | {
      readonly kind: 'alias';
      readonly alias: A;
      readonly by: AliasMeans;
      readonly forward: readonly Destination[];
    }
  | { readonly kind: 'rule'; readonly rule: R; readonly forward: readonly Destination[] }
  | { readonly kind: 'fallback'; readonly forward: readonly Destination[] }
  | { readonly kind: 'refused' };
export type AliasMeans = 'name' | 'plus-address' | 'regex' | 'catch-all';

/** A prepared routing table: names are indexed, and patterns are compiled on first use. */
export interface Router<A, R> {
  /** Returns the most likely route. */
  readonly route: (mail: Mail, anchoring?: Anchoring) => Route<A, R>;
  /**
   * Returns all possible routes, the most likely first. There are several if patterns match whose order is unknown, or if a
   * name such as `sales.*` may be a pattern or not.
   */
  readonly routes: (mail: Mail, anchoring?: Anchoring) => Routes<A, R>;
  /** Returns the routes of a local part by aliases alone. */
  readonly routesByAlias: (localPart: string) => Routes<A, R>;
}

export type Routes<A, R> = readonly [Route<A, R>, ...Route<A, R>[]];

const REFUSED = { kind: 'refused' } as const;

export function createRouter<A extends RoutedAlias, R extends RoutedRule>(
  table: RoutingTable<A, R>,
): Router<A, R> {
  const { mode, fallback } = table;
  const routesByAlias = createAliasTaker(table.aliases);
  const conditions = [...table.rules]
    .filter((rule) => rule.active)
    .map((rule) => ({ rule, takes: lazily(() => createCondition(rule.match)) }));
  const unmatched: Routes<A, R> = [fallback === null ? REFUSED : { kind: 'fallback', forward: [fallback] }];
  function routes(mail: Mail, anchoring: Anchoring = 'anywhere'): Routes<A, R> {
    const possible: Route<A, R>[] = [];
    for (const { rule, takes } of mode === 'aliases' ? [] : conditions) {
      const verdict = takes()(mail, anchoring);
      if (verdict === false) continue;
      const taken = { kind: 'rule', rule, forward: rule.forward } as const;
      if (verdict === true) return [taken, ...possible];
      possible.push(taken);
    }
    return [...(mode === 'rules' ? unmatched : routesByAlias(localPartOf(mail.to))), ...possible];
  }
  return { route: (mail, anchoring) => routes(mail, anchoring)[0], routes, routesByAlias };
}

/** Returns the route of one mail. To route several mails, create a router once. */
export function route<A extends RoutedAlias, R extends RoutedRule>(
  table: RoutingTable<A, R>,
  mail: Mail,
): Route<A, R> {
  return createRouter(table).route(mail);
}

/** True if all routes send the mail to the same destinations. */
export function isOneWay<A, R>(routes: Routes<A, R>): boolean {
  const [first, ...others] = routes;
  return others.every(
    (other) =>
      (first.kind === 'refused') === (other.kind === 'refused') &&
      sameDestinations(forwardOf(first), forwardOf(other)),
  );
}

function forwardOf<A, R>(route: Route<A, R>): readonly Destination[] {
  return route.kind === 'refused' ? [] : route.forward;
}

type AliasRoute<A> = Extract<Route<A, never>, { readonly kind: 'alias' | 'refused' }>;

/**
 * Returns a function that routes by exact name, then plus addressing, then regular expressions as a whole, then `*` (field
 * notes: aliases mode). The service's order of regular expressions is unknown.
 */
function createAliasTaker<A extends RoutedAlias>(
  aliases: Iterable<A> | AliasIndex<A>,
): (localPart: string) => readonly [AliasRoute<A>, ...AliasRoute<A>[]] {
  const { get, patterns: mayTake } = 'get' in aliases ? aliases : indexAliases(aliases);
  const all = get('*');
  const otherwise = all === undefined ? REFUSED : aliasRoute(all, 'catch-all');
  const patterns = mayTake.map((alias) => ({ alias, match: lazily(() => matcherOf(alias.name)) }));
  const byName = (name: string): A | undefined => (name === '*' ? undefined : get(name));
  function takeByPattern(localPart: string): readonly [AliasRoute<A>, ...AliasRoute<A>[]] {
    const found = { certain: [] as AliasRoute<A>[], possible: [] as AliasRoute<A>[] };
    for (const { alias, match } of patterns) {
      const taken = match()(localPart);
      if (taken === null) continue;
      const forward = fillGroups(alias.forward, taken.groups);
      found[taken.certainty].push({ kind: 'alias', alias, by: 'regex', forward });
    }
    const [first = otherwise, ...others] = found.certain;
    return [first, ...others, ...found.possible];
  }
  return (localPart) => {
    const local = localPart.toLowerCase();
    const exact = byName(local);
    if (exact !== undefined) return [aliasRoute(exact, 'name')];
    const plus = local.indexOf('+');
    const base = plus < 0 ? undefined : byName(local.slice(0, plus));
    if (base === undefined) return takeByPattern(localPart);
    const forward = addLabel(base.forward, localPart.slice(localPart.indexOf('+')));
    return [{ kind: 'alias', alias: base, by: 'plus-address', forward }];
  };
}

function indexAliases<A extends RoutedAlias>(aliases: Iterable<A>): Pick<AliasIndex<A>, 'get' | 'patterns'> {
  const byName = new Map<string, A>();
  const patterns: A[] = [];
  for (const alias of aliases) {
    byName.set(alias.name.toLowerCase(), alias);
    if (mayTakeOthers(alias.name)) patterns.push(alias);
  }
  return { get: (name) => byName.get(name), patterns };
}

/** True if an index lists the alias among its patterns. */
export function mayTakeOthers(name: string): boolean {
  return name !== '*' && takesOthers(name);
}

function aliasRoute<A extends RoutedAlias>(alias: A, by: AliasMeans) {
  return { kind: 'alias', alias, by, forward: alias.forward } as const;
}

function createCondition(match: RuleMatch): (mail: Mail, anchoring: Anchoring) => NameVerdict {
  switch (match.type) {
    case 'alias': {
      const takes = aliasCondition(match.alias);
      return (mail) => takes(localPartOf(mail.to));
    }
    case 'regex': {
      const compiled = compilePattern(match.regex, { letterCase: 'exact' });
      if (!compiled.ok) return () => false;
      const { finds, matchesAll } = compiled.value;
      return (mail, anchoring) => {
        const { unseen } = mail;
        const fits = anchoring === 'whole' ? matchesAll : finds;
        const isUnseen = (scope: Scope): boolean => unseen?.parts.has(scope) === true;
        return (
          match.scopes.some((scope) => !isUnseen(scope) && fits(scopeOf(mail, scope))) ||
          match.scopes.some(
            (scope) => isUnseen(scope) && unseen?.assume(`${scope} ~ ${match.regex}`) === true,
          )
        );
      };
    }
    case 'cel': {
      const compiled = compileExpression(match.expression);
      if (!compiled.ok) return () => false;
      const assuming = lazily(() => assumingTest(compiled.value));
      return ({ to: recipient, from: sender, subject, body, unseen }) => {
        const variables = { subject, body, sender, recipient };
        return unseen === undefined ? compiled.value.matches(variables) : assuming()(variables, unseen);
      };
    }
  }
}

function scopeOf(mail: Mail, scope: Scope): string {
  switch (scope) {
    case 'sender':
      return mail.from;
    case 'recipient':
      return mail.to;
    case 'subject':
      return mail.subject;
    case 'body':
      return mail.body;
  }
}

function fillGroups(forward: readonly Destination[], groups: readonly string[]): readonly Destination[] {
  const filled = forward.map((destination) =>
    normaliseDestination(
      destination.replace(/\$(\d)/g, (whole, digit: string) => groups[Number(digit)] ?? whole),
    ),
  );
  return [...new Set(filled)];
}

/** Mail hosts to which the plus label is added again (field notes: aliases mode). */
const LABELLED_HOSTS: ReadonlySet<string> = new Set([
  'gmail.com',
  'hey.com',
  'protonmail.com',
  'icloud.com',
  'fastmail.com',
  'outlook.com',
  'runbox.com',
  'yandex.com',
  'yandex.ru',
  'mailfence.com',
]);

/** Adds a label to the destinations at these hosts. `label` starts with the plus sign. */
function addLabel(forward: readonly Destination[], label: string): readonly Destination[] {
  return forward.map((destination) => {
    const host = domainPartOf(destination);
    const isLabelled = LABELLED_HOSTS.has(host) && !destination.includes('://');
    return isLabelled ? (`${localPartOf(destination)}${label}@${host}` as Destination) : destination;
  });
}
