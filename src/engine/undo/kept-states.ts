import type { KeptMatch, KeptStates, KeptText } from '../../core/model/history/entries.ts';
import { ruleIdKey } from '../../core/model/item-key.ts';
import { nameKey, type DomainName } from '../../core/model/names.ts';
import type { Destination } from '../../core/model/destinations.ts';
import type { Observed, ObservedDomain } from '../../core/model/observed.ts';
import {
  sameMatch,
  sameSetting,
  SETTINGS,
  type ObservedAlias,
  type ObservedCredential,
  type ObservedRule,
  type RuleMatch,
} from '../../core/model/resources.ts';
import type { RunItem } from './run-items.ts';

/** The keyed fingerprint of a text; null: none can be made, and nothing that is concealed is recognised. */
export type Print = ((text: string) => string) | null;

/** The live items of a domain by what they are found by. */
export interface LiveRows {
  readonly domain: ObservedDomain | undefined;
  readonly alias: ReadonlyMap<string, ObservedAlias>;
  readonly rule: ReadonlyMap<string, ObservedRule>;
  readonly credential: ReadonlyMap<string, ObservedCredential>;
  /** All of them. */
  readonly rows: readonly Pick<RunItem, 'kind' | 'domain' | 'name' | 'id'>[];
}

export function liveRows({ domains }: Pick<Observed, 'domains'>, name: DomainName): LiveRows {
  const domain = domains.get(name);
  const aliases = Array.from(domain?.aliases ?? []);
  const { rules = [], credentials = [] } = domain ?? {};
  return {
    domain,
    alias: new Map(aliases.map((row) => [nameKey(row.name), row])),
    rule: new Map(rules.map((row) => [ruleIdKey(row.id), row])),
    credential: new Map(credentials.map((row) => [nameKey(row.name), row])),
    rows: [
      ...aliases.map((row) => ({ kind: 'alias' as const, domain: name, name: row.name, id: row.id })),
      ...rules.map(({ id }) => ({ kind: 'rule' as const, domain: name, name: id, id })),
      ...credentials.map((row) => ({ kind: 'credential' as const, domain: name, name: row.name, id: null })),
    ],
  };
}

/** Whether the account has the item as it was kept; null: it is not there. */
export function isLive(item: RunItem, kept: RunItem['original'], live: LiveRows, print: Print): boolean {
  switch (item.kind) {
    case 'domain':
      return isLiveDomain(kept as KeptStates['domain'] | null, live.domain, item.fields, print);
    case 'alias': {
      const row = live.alias.get(nameKey(item.name));
      return isEither(kept as KeptStates['alias'] | null, row, (state, { forward }) =>
        sameForward(state.forward, forward, print),
      );
    }
    case 'rule': {
      const row = live.rule.get(ruleIdKey(item.id ?? ''));
      return isEither(kept as KeptStates['rule'] | null, row, (state, rule) => sameRule(state, rule, print));
    }
    case 'credential':
      return (kept === null) === !live.credential.has(nameKey(item.name));
  }
}

function isEither<State, Row>(
  kept: State | null,
  row: Row | undefined,
  isSame: (state: State, row: Row) => boolean,
): boolean {
  return kept === null || row === undefined ? (kept === null) === (row === undefined) : isSame(kept, row);
}

function isLiveDomain(
  kept: KeptStates['domain'] | null,
  live: ObservedDomain | undefined,
  fields: readonly string[],
  print: Print,
): boolean {
  return isEither(kept, live, (state, row) =>
    SETTINGS.filter((field) => fields.includes(field)).every((field) => {
      const text = state[field] ?? null;
      if (text === null || typeof text === 'string') return sameSetting(field, text, row[field]);
      return isText(text, row[field] ?? '', print);
    }),
  );
}

function sameForward(kept: readonly KeptText[], live: readonly Destination[], print: Print): boolean {
  if (kept.length !== live.length) return false;
  return kept.every((text) => live.some((destination) => isText(text, destination, print)));
}

function sameRule(kept: KeptStates['rule'], live: ObservedRule, print: Print): boolean {
  return (
    kept.active === live.active &&
    sameRank(kept.rank, live.rank) &&
    sameForward(kept.forward, live.forward, print) &&
    isSameMatch(kept.match, live.match, print)
  );
}

/** The service may keep fewer digits of a rank than were sent. */
function sameRank(kept: number, live: number): boolean {
  if (Object.is(kept, live)) return true;
  const digits = /\.(\d+)$/.exec(String(live))?.[1]?.length ?? 0;
  return Number.isFinite(kept) && digits < 20 && Number(kept.toFixed(digits)) === live;
}

function isSameMatch(kept: KeptMatch, live: RuleMatch, print: Print): boolean {
  const text = textOfMatch(live) as string;
  return (
    kept.type === live.type && isText(textOfMatch(kept), text, print) && sameMatch(matchOf(kept, text), live)
  );
}

/** What a condition says, its scopes apart. */
export function textOfMatch(match: KeptMatch | RuleMatch): KeptText {
  switch (match.type) {
    case 'alias':
      return match.alias;
    case 'regex':
      return match.regex;
    case 'cel':
      return match.expression;
  }
}

/** The condition with this text. */
export function matchOf(kept: KeptMatch, text: string): RuleMatch {
  switch (kept.type) {
    case 'alias':
      return { type: 'alias', alias: text };
    case 'regex':
      return { type: 'regex', regex: text, scopes: kept.scopes };
    case 'cel':
      return { type: 'cel', expression: text };
  }
}

function isText(kept: KeptText, live: string, print: Print): boolean {
  return typeof kept === 'string' ? kept === live : print?.(live) === kept.print;
}
