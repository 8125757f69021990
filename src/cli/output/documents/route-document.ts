import {
  shownDestinations,
  showDestination,
  isDiscard,
  type Disclosure,
} from '../../../core/model/destinations.ts';
import type { Source } from '../../../core/model/manifest/problem.ts';
import { quote } from '../../../core/model/names.ts';
import type { RuleMatch } from '../../../core/model/resources.ts';
import { endsOf, type Hop } from '../../../core/routing/follow.ts';
import type { AliasMeans, Mail, RoutedAlias, RoutedRule, Route } from '../../../core/routing/route.ts';
import type { Tried } from '../../../core/routing/tried.ts';

/** An alias as the manifest or the account has it. */
export interface FoundAlias extends RoutedAlias {
  readonly id?: string;
  readonly source?: Source;
  readonly via?: Source;
}

/** A rule as the manifest or the account has it. The account has no names. */
export interface FoundRule extends RoutedRule {
  readonly id: string;
  readonly name?: string;
  readonly source?: Source;
  readonly via?: Source;
}

export type TracedHop = Hop<FoundAlias, FoundRule> & {
  /** Entries that did not match at this address, in the order in which they were tried. */
  readonly tried: readonly Tried<FoundAlias, FoundRule>[];
};

/**
 * Another way that a message may take: if the service works as `when` says, or if it chooses these routes among
 * several matches.
 */
export type Doubt = { readonly hops: readonly TracedHop[] } & (
  | { readonly when: string }
  | {
      readonly choices: readonly { readonly address: string; readonly route: Route<FoundAlias, FoundRule> }[];
    }
);

export interface RouteFindings {
  readonly basis: 'manifest' | 'account';
  /** The way of the message, in the order of `follow`. If an engine is not known, rules are tried before aliases. */
  readonly hops: readonly TracedHop[];
  /** The way by either engine, if the engine is not known and makes a difference. */
  readonly readings: Readonly<Record<Engine, readonly TracedHop[]>> | null;
  /** Other ways that the service may send the message. */
  readonly doubts: readonly Doubt[];
  readonly notes: readonly string[];
  readonly disclosure: Disclosure;
}

export type Engine = 'alias' | 'rules';

export interface RouteDocument {
  readonly kind: 'fwdsync/route@1';
  readonly mail: Mail;
  readonly basis: 'manifest' | 'account';
  readonly outcome: RouteOutcome;
  /** Final destinations; empty unless the message is delivered. */
  readonly forward: readonly string[];
  /** Entry that matches first; null if none does. */
  readonly taken: (TakenBy & EntryPlace) | null;
  readonly hops: readonly HopDocument[];
  /** Present only if the engine is not known and makes a difference. */
  readonly readings?: Readonly<Record<Engine, readonly HopDocument[]>>;
  readonly notes: readonly string[];
}

type RouteOutcome = 'delivered' | 'discarded' | 'refused' | 'loop' | 'unknown';

export interface TakenBy {
  readonly kind: 'alias' | 'rule' | 'fallback';
  /** Name of the alias or of the manifest's rule; null if there is none, or if it may not be shown. */
  readonly name: string | null;
  readonly id: string | null;
  readonly by: AliasMeans | RuleMatch['type'] | 'no-rule';
}

interface EntryPlace {
  readonly source: Source | null;
  /** Place where the domain uses the template that the entry comes from. */
  readonly via?: Source;
}

export interface TriedDocument extends EntryPlace {
  readonly kind: 'alias' | 'rule';
  readonly name: string | null;
  readonly id: string | null;
  readonly outcome: 'no-match' | 'inactive' | 'absent';
}

interface HopDocument extends EntryPlace {
  readonly address: string;
  /** null if no entry matches. */
  readonly by: TakenBy | null;
  readonly forward: readonly string[];
  readonly tried: readonly TriedDocument[];
  /** End of the way at this hop; null if it goes on to the destinations. */
  readonly end: 'refused' | 'loop' | 'unknown' | null;
}

/** A hop as it may be shown. `HopDocument` has only the hops at which something is decided. */
export interface ShownHop extends HopDocument {
  readonly depth: number;
  readonly kind: TracedHop['kind'];
}

/** Returns the document `fwdsync/route@1`; see schemas/route.v1.schema.json. */
export function routeDocument(mail: Mail, findings: RouteFindings): RouteDocument {
  const { basis, hops, readings, disclosure } = findings;
  const [first] = hops;
  const { outcome, forward } = shownEnd(hops, disclosure);
  const list = (traced: readonly TracedHop[]): readonly HopDocument[] =>
    shownHops(traced, disclosure).flatMap(({ depth: _, kind, ...hop }) =>
      kind === 'routed' || hop.end !== null ? [hop] : [],
    );
  return {
    kind: 'fwdsync/route@1',
    mail,
    basis,
    outcome,
    forward,
    taken: first?.kind === 'routed' ? takenBy(first.route) : null,
    hops: list(hops),
    ...(readings === null ? {} : { readings: { alias: list(readings.alias), rules: list(readings.rules) } }),
    notes: notesOf(findings),
  };
}

/** Returns the end of a message's way, as it may be shown. */
export function shownEnd(
  hops: readonly TracedHop[],
  disclosure: Disclosure,
): Pick<RouteDocument, 'outcome' | 'forward'> {
  const { to, unknown, loops } = endsOf(hops);
  if (to.length > 0 && !isDiscard(to)) {
    return { outcome: 'delivered', forward: shownDestinations(to, disclosure) };
  }
  const outcome =
    unknown.length > 0 ? 'unknown' : to.length > 0 ? 'discarded' : loops.length > 0 ? 'loop' : 'refused';
  return { outcome, forward: [] };
}

/** Returns all hops, destinations included. */
export function shownHops(hops: readonly TracedHop[], disclosure: Disclosure): readonly ShownHop[] {
  return hops.map((hop) => {
    const { depth, kind } = hop;
    const address = depth === 0 ? hop.address : showDestination(hop.address, disclosure);
    const end = endAt(hop);
    if (hop.kind !== 'routed') return { depth, kind, address, ...UNDECIDED, end };
    const { route } = hop;
    const forward = route.kind === 'refused' ? [] : shownDestinations(route.forward, disclosure);
    return { depth, kind, address, forward, ...decisionAt(hop, route, address), end };
  });
}

const UNDECIDED = { by: null, forward: [], source: null, tried: [] } as const;

/**
 * Returns the decision at a hop. Hides the entry if the address is behind a reference, and the entry's name under a
 * mask, because either would reveal the address.
 */
function decisionAt(
  { address, tried }: TracedHop,
  route: Route<FoundAlias, FoundRule>,
  shown: string,
): Pick<HopDocument, 'by' | 'tried' | keyof EntryPlace> {
  const match = matchOf(route);
  if (shown === address) {
    const place = placeOf(entryOf(route));
    return { by: match, ...place, tried: tried.map(triedDocument) };
  }
  const by = match === null ? null : { ...match, name: null, id: null };
  if (shown.startsWith('{')) return { by, source: null, tried: [] };
  const rules = tried.filter(({ kind }) => kind === 'rule');
  return { by, ...placeOf(entryOf(route)), tried: rules.map(triedDocument) };
}

function endAt(hop: TracedHop): HopDocument['end'] {
  if (hop.kind === 'loop' || hop.kind === 'unknown') return hop.kind;
  return hop.kind === 'routed' && hop.route.kind === 'refused' ? 'refused' : null;
}

function notesOf({ notes, doubts, disclosure }: RouteFindings): readonly string[] {
  const isUndecided = doubts.some((doubt) => 'choices' in doubt);
  return [
    ...notes,
    ...(isUndecided
      ? ['it is not known which of several entries the service uses, so the destination is not known']
      : []),
    ...doubts.map((doubt) => {
      const { outcome, forward } = shownEnd(doubt.hops, disclosure);
      const when = 'when' in doubt ? doubt.when : `if ${choicesText(doubt, disclosure)}`;
      return `${when}: ${outcome === 'delivered' ? forward.join(', ') : outcome}`;
    }),
  ];
}

function choicesText(
  { choices, hops: [first] }: Extract<Doubt, { readonly choices: unknown }>,
  disclosure: Disclosure,
): string {
  return choices
    .map(({ address, route }) => {
      const shown = address === first?.address ? address : showDestination(address, disclosure);
      const match = matchOf(route);
      if (match === null) return `nothing matches ${shown}`;
      // The name of an entry would reveal an address that is not shown.
      const name = shown === address ? (match.name ?? match.id) : null;
      return `${match.kind}${name === null ? '' : ` ${quote(name)}`} is used for ${shown}`;
    })
    .join(' and ');
}

function takenBy(route: Route<FoundAlias, FoundRule>): RouteDocument['taken'] {
  const match = matchOf(route);
  return match === null ? null : { ...match, ...placeOf(entryOf(route)) };
}

function matchOf(route: Route<FoundAlias, FoundRule>): TakenBy | null {
  switch (route.kind) {
    case 'alias': {
      const { name, id = null } = route.alias;
      return { kind: 'alias', name, id, by: route.by };
    }
    case 'rule': {
      const { name = null, id, match } = route.rule;
      return { kind: 'rule', name, id, by: match.type };
    }
    case 'fallback':
      return { kind: 'fallback', name: null, id: null, by: 'no-rule' };
    case 'refused':
      return null;
  }
}

function entryOf(route: Route<FoundAlias, FoundRule>): FoundAlias | FoundRule | null {
  return route.kind === 'alias' ? route.alias : route.kind === 'rule' ? route.rule : null;
}

function placeOf(entry: FoundAlias | FoundRule | null): EntryPlace {
  const via = entry?.via;
  return { source: entry?.source ?? null, ...(via === undefined ? {} : { via }) };
}

function triedDocument(tried: Tried<FoundAlias, FoundRule>): TriedDocument {
  const { outcome } = tried;
  if (tried.kind === 'name') return { kind: 'alias', name: tried.name, id: null, outcome, source: null };
  const entry = tried.kind === 'rule' ? tried.rule : tried.alias;
  const { name = null, id = null } = entry;
  return { kind: tried.kind, name, id, outcome, ...placeOf(entry) };
}
