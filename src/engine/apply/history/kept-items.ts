import {
  DISCARD,
  shownDestinations,
  showText,
  type Destination,
  type References,
} from '../../../core/model/destinations.ts';
import type { HistoryItem, KeptMatch, KeptStates, KeptText } from '../../../core/model/history/entries.ts';
import type { Kind } from '../../../core/model/kinds.ts';
import { SETTINGS, type RuleMatch, type StateTypes } from '../../../core/model/resources.ts';
import type { Change } from '../../../core/model/plan.ts';

/** How texts are kept: values behind references as those, with a fingerprint each. */
export interface Concealment {
  readonly references: References;
  /** Keyed fingerprint of a value. */
  readonly print: (value: string) => string;
}

/** A change as it is kept; states that are not given are those of the change. */
export function keptItem(
  change: Change,
  concealment: Concealment,
  {
    from = change.observed,
    to = change.desired,
  }: Partial<Record<'from' | 'to', StateTypes[Kind] | null>> = {},
): HistoryItem {
  const { kind, action, domain, name, id, fields, source } = change;
  const keep = (state: StateTypes[Kind] | null): KeptStates[Kind] | null =>
    state === null ? null : keptState(kind, state, concealment);
  const shown =
    kind === 'domain' ? name : showText(name, { references: referencesIn(name, concealment), mask: false });
  // The states are those of the kind, which a type cannot say of all at once.
  return {
    kind,
    action,
    domain,
    name: shown,
    id,
    fields,
    from: keep(from),
    to: keep(to),
    source,
  } as HistoryItem;
}

const STATES: {
  readonly [K in Kind]: (state: StateTypes[K], concealment: Concealment) => KeptStates[K];
} = {
  domain: (state, concealment) => {
    const kept: { -readonly [S in keyof KeptStates['domain']]: KeptStates['domain'][S] } = {};
    for (const setting of SETTINGS) {
      const value = state[setting];
      if (value !== undefined)
        kept[setting] = value === null ? null : keptDestination(value as Destination, concealment);
    }
    return kept;
  },
  alias: ({ forward }, concealment) => ({ forward: keptForward(forward, concealment) }),
  rule: ({ match, forward, active, rank }, concealment) => {
    return { match: keptMatch(match, concealment), forward: keptForward(forward, concealment), active, rank };
  },
  credential: () => ({}),
};

function keptState(kind: Kind, state: StateTypes[Kind], concealment: Concealment): KeptStates[Kind] {
  const keep = STATES[kind] as (state: StateTypes[Kind], concealment: Concealment) => KeptStates[Kind];
  return keep(state, concealment);
}

function keptForward(forward: readonly Destination[], concealment: Concealment): readonly KeptText[] {
  return forward.map((destination) => keptDestination(destination, concealment));
}

function keptDestination(destination: Destination, { references, print }: Concealment): KeptText {
  if (references.size === 0 || destination === DISCARD) return destination;
  const [shown = destination] = shownDestinations([destination], { references, mask: false });
  return shown === destination ? destination : { shown, print: print(destination) };
}

function keptMatch(match: RuleMatch, concealment: Concealment): KeptMatch {
  const keep = (text: string): KeptText => {
    const shown = showText(text, { references: referencesIn(text, concealment), mask: false });
    return shown === text ? text : { shown, print: concealment.print(text) };
  };
  switch (match.type) {
    case 'alias':
      return { type: match.type, alias: keep(match.alias) };
    case 'regex':
      return { type: match.type, regex: keep(match.regex), scopes: match.scopes };
    case 'cel':
      return { type: match.type, expression: keep(match.expression) };
  }
}

const NO_REFERENCES: References = new Map();

/** Every value is an address or a URL: most names have neither, and there may be a million of them. */
function referencesIn(text: string, { references }: Concealment): References {
  return /[@:]/.test(text) ? references : NO_REFERENCES;
}
