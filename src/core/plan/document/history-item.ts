import {
  DISCLOSE_ALL,
  showDestinations,
  showText,
  type Destination,
  type Disclosure,
} from '../../model/destinations.ts';
import type { HistoryItem, KeptMatch, KeptStates, KeptText } from '../../model/history/entries.ts';
import type { Kind } from '../../model/kinds.ts';
import { WORDS } from '../diff/kinds.ts';
import type { ShownFields } from '../diff/shown.ts';

/** An item of the history as it may be shown. */
export type HistoryItemDocument = Omit<HistoryItem, 'from' | 'to'> & {
  readonly from: ShownFields | null;
  readonly to: ShownFields | null;
};

type Mask = Disclosure['mask'];

/** Values behind references are kept as those; the rest is masked where that is asked for. */
export function historyItemDocument(item: HistoryItem, mask: Mask): HistoryItemDocument {
  const { kind, action, domain, name, id, fields, source } = item;
  const show = (state: KeptStates[Kind] | null): ShownFields | null =>
    state === null ? null : FIELDS[kind](state as never, mask);
  const shown = kind === 'domain' ? name : showText(name, { ...DISCLOSE_ALL, mask });
  return { kind, action, domain, name: shown, id, fields, from: show(item.from), to: show(item.to), source };
}

/** Its outcome, in the words of a plan. */
export function describeHistoryItem({ kind, action, fields, from, to }: HistoryItemDocument): string {
  return WORDS[kind]({ action, fields, observed: from, desired: to });
}

const FIELDS: { readonly [K in Kind]: (state: KeptStates[K], mask: Mask) => ShownFields } = {
  domain: (state, mask) =>
    Object.fromEntries(
      Object.entries(state).map(([setting, value]) => [
        setting,
        value === null || value === undefined ? null : showForward([value], mask),
      ]),
    ),
  alias: ({ forward }, mask) => ({ forward: showForward(forward, mask) }),
  rule: ({ match, forward, active, rank }, mask) => {
    return { ...showKeptMatch(match, mask), forward: showForward(forward, mask), active, rank };
  },
  credential: () => ({}),
};

function showForward(forward: readonly KeptText[], mask: Mask): string {
  const plain = forward.flatMap((text) => (typeof text === 'string' ? [text as Destination] : []));
  const concealed = forward.flatMap((text) => (typeof text === 'string' ? [] : [text.shown]));
  const shown = plain.length === 0 ? [] : [showDestinations(plain, { ...DISCLOSE_ALL, mask })];
  return [...shown, ...new Set(concealed)].join(', ');
}

function showKeptMatch(match: KeptMatch, mask: Mask): ShownFields {
  const show = (text: KeptText): string =>
    typeof text === 'string' ? showText(text, { ...DISCLOSE_ALL, mask }) : text.shown;
  switch (match.type) {
    case 'alias':
      return { alias: show(match.alias) };
    case 'regex':
      return { regex: show(match.regex), scopes: match.scopes };
    case 'cel':
      return { expression: show(match.expression) };
  }
}
