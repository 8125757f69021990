import { matchesGlob } from './glob.ts';
import { normaliseDestination, type Destination } from '../model/destinations.ts';
import { domainPartOf, localPartOf, looksLikeRegex, mayBePattern, takesOthers } from '../model/names.ts';
import type { RuleMatch, Scope } from '../model/resources.ts';
import { compileExpression } from './cel.ts';
import { lazily } from './lazily.ts';
import { compilePattern, type Pattern } from './regex.ts';

export interface RoutedAlias {
  readonly name: string;
  readonly forward: readonly Destination[];
}

export interface RoutedRule {
  readonly match: RuleMatch;
  readonly forward: readonly Destination[];
  readonly active: boolean;
}

/** What decides where mail to one domain goes. */
export interface RoutingTable<A extends RoutedAlias, R extends RoutedRule> {
  readonly aliases: Iterable<A> | AliasIndex<A>;
  /** In the order of evaluation: ascending rank. */
  readonly rules: Iterable<R>;
  /**
   * `aliases` and `rules` are the service's two engines. `rules-then-aliases` is for a manifest, which cannot know
   * the engine: a mail that no rule takes is routed by the aliases.
   */
  readonly mode: 'aliases' | 'rules' | 'rules-then-aliases';
  /** Where mail goes that no rule takes, in mode `rules`; null: that is not known, and such mail is `refused`. */
  readonly fallback: Destination | null;
  /** What names such as `sales.*` are, which the service may read either way; `literal` where it is not stated. */
  readonly wildcards?: Wildcards;
}

/** Aliases as they are asked: for whoever has them so already, and need not have them all made ready again. */
export interface AliasIndex<A> extends Iterable<A> {
  /** By name, in lower case. */
  readonly get: (name: string) => A | undefined;
  /** In their order: all but `*` that may take mail to other names than their own. */
  readonly patterns: readonly A[];
}

/** `pattern`: both as a regular expression and with `*` for any run. */
export type Wildcards = 'literal' | 'pattern';

export interface Mail {
  /** A whole address. */
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly body: string;
}

/** Which mail a rule's regular expression takes: one in which it is found, or one whose scope it matches as a whole. */
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

/** A routing table made ready: names indexed, patterns compiled when first needed. */
export interface Router<A, R> {
  readonly route: (mail: Mail, anchoring?: Anchoring) => Route<A, R>;
  /** What the aliases alone do with a local part; null: no alias takes it. */
  readonly routeByAlias: (localPart: string) => Route<A, R> | null;
}

export function createRouter<A extends RoutedAlias, R extends RoutedRule>(
  table: RoutingTable<A, R>,
): Router<A, R> {
  const { wildcards = 'literal' } = table;
  const takeByAlias = createAliasTaker(table.aliases, wildcards);
  const conditions = [...table.rules]
    .filter((rule) => rule.active)
    .map((rule) => ({ rule, takes: lazily(() => createCondition(rule.match, wildcards)) }));
  function route(mail: Mail, anchoring: Anchoring = 'anywhere'): Route<A, R> {
    if (table.mode !== 'aliases') {
      const taken = conditions.find(({ takes }) => takes()(mail, anchoring));
      if (taken !== undefined) return { kind: 'rule', rule: taken.rule, forward: taken.rule.forward };
    }
    if (table.mode !== 'rules') return takeByAlias(localPartOf(mail.to)) ?? { kind: 'refused' };
    return table.fallback === null ? { kind: 'refused' } : { kind: 'fallback', forward: [table.fallback] };
  }
  return { route, routeByAlias: takeByAlias };
}

/** Where one mail goes. For several mails, make a router once. */
export function route<A extends RoutedAlias, R extends RoutedRule>(
  table: RoutingTable<A, R>,
  mail: Mail,
): Route<A, R> {
  return createRouter(table).route(mail);
}

type AliasRoute<A> = { kind: 'alias'; alias: A; by: AliasMeans; forward: readonly Destination[] };

/** Exact name, then plus addressing, then regular expressions as a whole, then `*` (field notes: aliases mode). */
function createAliasTaker<A extends RoutedAlias>(
  aliases: Iterable<A> | AliasIndex<A>,
  wildcards: Wildcards,
): (localPart: string) => AliasRoute<A> | null {
  const { get, patterns: mayTake } = 'get' in aliases ? aliases : indexAliases(aliases);
  const all = get('*');
  const patterns: { alias: A; capture: () => Pattern['capture'] }[] = [];
  for (const alias of mayTake) {
    const capture = captureOf(alias.name, wildcards);
    if (capture !== null) patterns.push({ alias, capture: lazily(capture) });
  }
  const byName = (name: string): A | undefined => (name === '*' ? undefined : get(name));
  function takeByPattern(localPart: string): AliasRoute<A> | null {
    for (const { alias, capture } of patterns) {
      const groups = capture()(localPart);
      if (groups === null) continue;
      return { kind: 'alias', alias, by: 'regex', forward: fillGroups(alias.forward, groups) };
    }
    return null;
  }
  return (localPart) => {
    const local = localPart.toLowerCase();
    const exact = byName(local);
    if (exact !== undefined) return aliasRoute(exact, 'name');
    const plus = local.indexOf('+');
    const base = plus < 0 ? undefined : byName(local.slice(0, plus));
    if (base !== undefined) {
      const forward = addLabel(base.forward, localPart.slice(localPart.indexOf('+')));
      return { kind: 'alias', alias: base, by: 'plus-address', forward };
    }
    return takeByPattern(localPart) ?? (all === undefined ? null : aliasRoute(all, 'catch-all'));
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

/** Whether an alias belongs to the patterns of an index. */
export function mayTakeOthers(name: string): boolean {
  return name !== '*' && takesOthers(name);
}

/** How a name takes local parts other than itself, made when it is called; null: not at all. */
function captureOf(name: string, wildcards: Wildcards): (() => Pattern['capture']) | null {
  if (looksLikeRegex(name)) return () => patternOf(name)?.capture ?? (() => null);
  if (wildcards === 'literal' || !mayBePattern(name)) return null;
  return () => {
    const capture = patternOf(name)?.capture;
    return (localPart) => capture?.(localPart) ?? (matchesGlob(name, localPart) ? [localPart] : null);
  };
}

function aliasRoute<A extends RoutedAlias>(alias: A, by: AliasMeans): AliasRoute<A> {
  return { kind: 'alias', alias, by, forward: alias.forward };
}

function createCondition(
  match: RuleMatch,
  wildcards: Wildcards,
): (mail: Mail, anchoring: Anchoring) => boolean {
  switch (match.type) {
    case 'alias': {
      const takes = createAliasCondition(match.alias, wildcards);
      return (mail) => takes(localPartOf(mail.to));
    }
    case 'regex': {
      const compiled = compilePattern(match.regex, { letterCase: 'exact' });
      if (!compiled.ok) return () => false;
      const { finds, matchesAll } = compiled.value;
      return (mail, anchoring) =>
        match.scopes.some((scope) => (anchoring === 'whole' ? matchesAll : finds)(scopeOf(mail, scope)));
    }
    case 'cel': {
      const compiled = compileExpression(match.expression);
      if (!compiled.ok) return () => false;
      return (mail) =>
        compiled.value.matches({
          subject: mail.subject,
          body: mail.body,
          sender: mail.from,
          recipient: mail.to,
        });
    }
  }
}

/** Alias rules take names, `*`, prefixes such as `sales*`, and regular expressions (field notes: rules mode). */
function createAliasCondition(name: string, wildcards: Wildcards): (localPart: string) => boolean {
  const lower = name.toLowerCase();
  const capture = captureOf(name, wildcards)?.();
  if (capture !== undefined) {
    // A name such as `info+vip` or `sales.*` may be meant as it is written.
    const isPlain = !/[()[\]{}|\\^$]/.test(name);
    return (localPart) => capture(localPart) !== null || (isPlain && localPart.toLowerCase() === lower);
  }
  if (lower.endsWith('*')) return (localPart) => localPart.toLowerCase().startsWith(lower.slice(0, -1));
  return (localPart) => localPart.toLowerCase() === lower || localPart.toLowerCase().split('+')[0] === lower;
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

function patternOf(name: string): Pattern | null {
  const compiled = compilePattern(name, { letterCase: 'any' });
  return compiled.ok ? compiled.value : null;
}

function fillGroups(forward: readonly Destination[], groups: readonly string[]): readonly Destination[] {
  const filled = forward.map((destination) =>
    normaliseDestination(
      destination.replace(/\$(\d)/g, (whole, digit: string) => groups[Number(digit)] ?? whole),
    ),
  );
  return [...new Set(filled)];
}

/** Hosts at which a plus label is added to the destination again (field notes: aliases mode). */
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

/** `label` begins with the plus. */
function addLabel(forward: readonly Destination[], label: string): readonly Destination[] {
  return forward.map((destination) => {
    const host = domainPartOf(destination);
    const isLabelled = LABELLED_HOSTS.has(host) && !destination.includes('://');
    return isLabelled ? (`${localPartOf(destination)}${label}@${host}` as Destination) : destination;
  });
}
