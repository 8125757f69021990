import { isDiscard, shownDestinations, type Disclosure } from '../../../model/destinations.ts';
import { escapeInvisible } from '../../../model/names.ts';
import { showSource, type Source } from '../../../model/problem.ts';
import type { RuleMatch } from '../../../model/resources.ts';
import type { Mail, Route } from '../../../routing/route.ts';

/** An alias as the manifest or the account has it. */
interface FoundAlias {
  readonly name: string;
  readonly id?: string;
  readonly source?: Source;
  readonly via?: Source;
}

/** A rule as the manifest or the account has it; the account knows no name. */
interface FoundRule {
  readonly id: string;
  readonly name?: string;
  readonly match: RuleMatch;
  readonly source?: Source;
  readonly via?: Source;
}

export interface RouteFindings {
  readonly basis: 'manifest' | 'account';
  /** Where a regular expression of a rule need only be found in its scope. */
  readonly found: Route<FoundAlias, FoundRule>;
  /** Where it must match the whole scope: how the service reads it is not known. */
  readonly whole: Route<FoundAlias, FoundRule>;
  readonly notes: readonly string[];
  readonly disclosure: Disclosure;
}

export interface RouteDocument {
  readonly kind: 'fwdsync/route@1';
  readonly mail: Mail;
  readonly basis: 'manifest' | 'account';
  readonly outcome: 'delivered' | 'discarded' | 'refused';
  /** Destinations; empty unless it is delivered. */
  readonly forward: readonly string[];
  /** null when it is refused. */
  readonly taken: Match | null;
  readonly notes: readonly string[];
}

interface Match {
  readonly kind: 'alias' | 'rule' | 'fallback';
  /** Name of the alias or of the manifest's rule; null where there is none. */
  readonly name: string | null;
  readonly id: string | null;
  readonly by: 'name' | 'plus-address' | 'regex' | 'catch-all' | 'alias' | 'cel' | 'no-rule';
  readonly source: Source | null;
  readonly via?: Source;
}

/** `fwdsync/route@1`: schemas/route.v1.schema.json. */
export function routeDocument(mail: Mail, findings: RouteFindings): RouteDocument {
  const { basis, found, whole, notes, disclosure } = findings;
  const outcome = outcomeOf(found);
  const taken = matchOf(found);
  const ambiguous = JSON.stringify(taken) !== JSON.stringify(matchOf(whole));
  const doubt =
    'another entry matches it if the service compares regular expressions of rules with the whole text';
  return {
    kind: 'fwdsync/route@1',
    mail,
    basis,
    outcome,
    forward:
      found.kind === 'refused' || outcome === 'discarded' ? [] : shownDestinations(found.forward, disclosure),
    taken,
    notes: [...notes, ...(ambiguous ? [doubt] : [])],
  };
}

/** Where it goes, what matches it, and what is to be known about that. */
export function renderRoute(document: RouteDocument): string {
  const { mail, forward, taken, outcome, notes } = document;
  const goes = outcome === 'delivered' ? `-> ${forward.join(', ')}` : outcome;
  const lines = [
    `${mail.to} ${goes}`,
    `  ${taken === null ? `nothing in the ${document.basis} matches it` : describe(taken)}`,
    ...notes.map((note) => `  note: ${note}`),
  ];
  return `${lines.map(escapeInvisible).join('\n')}\n`;
}

function outcomeOf(route: Route<FoundAlias, FoundRule>): RouteDocument['outcome'] {
  if (route.kind === 'refused') return 'refused';
  return isDiscard(route.forward) ? 'discarded' : 'delivered';
}

function matchOf(route: Route<FoundAlias, FoundRule>): Match | null {
  switch (route.kind) {
    case 'alias': {
      const { name, id = null } = route.alias;
      return { kind: 'alias', name, id, by: route.by, ...place(route.alias) };
    }
    case 'rule': {
      const { name = null, id, match } = route.rule;
      return { kind: 'rule', name, id, by: match.type, ...place(route.rule) };
    }
    case 'fallback':
      return { kind: 'fallback', name: null, id: null, by: 'no-rule', source: null };
    case 'refused':
      return null;
  }
}

function place({ source, via }: FoundAlias | FoundRule): Pick<Match, 'source' | 'via'> {
  return { source: source ?? null, ...(via === undefined ? {} : { via }) };
}

const MEANS: Readonly<Record<Match['by'], string>> = {
  name: 'by its name',
  'plus-address': 'by its name, without what follows the +',
  regex: 'by its regular expression',
  'catch-all': 'as the catch-all: no other alias matched',
  alias: 'by the alias it names',
  cel: 'by its expression',
  'no-rule': '',
};

function describe({ kind, name, id, by, source, via }: Match): string {
  if (kind === 'fallback') return 'no rule matches it: it goes to the fallback address of the domain';
  const where = source === null ? `id ${id ?? 'unknown'}` : showSource(source);
  const origin = via === undefined ? where : `${where}, used at ${showSource(via)}`;
  return `${kind} ${name === null ? '' : `${name} `}matches it ${MEANS[by]} (${origin})`;
}
