import type { Dump, DumpedAlias, DumpedDomain, DumpedRule } from '../../../../src/emulator/account/dump.ts';
import type { JournalEntry } from '../../../../src/emulator/http/journal.ts';
import {
  decodeForward,
  encodeForward,
  type Destination as Address,
} from '../../../../src/core/model/destinations.ts';
import { sameMatch, type RuleMatch } from '../../../../src/core/model/resources.ts';
import { createRouter, type Mail, type RoutedAlias, type Route } from '../../../../src/core/routing/route.ts';

/** Routing state of a domain at one moment, from the emulator. */
export interface Moment {
  readonly aliases: readonly DumpedAlias[];
  /** In the order of evaluation. */
  readonly rules: readonly DumpedRule[];
  /** The last executed write: method, endpoint and position in the batch. */
  readonly after: string;
}

/**
 * Returns every moment of a run in one domain. Batches are replayed item by item, so moments within a request are included. All
 * requests must have succeeded.
 */
export function replay(start: DumpedDomain, writes: readonly JournalEntry[]): readonly Moment[] {
  let moment: Moment = { aliases: start.aliases, rules: start.rules, after: 'the start' };
  const moments = [moment];
  for (const write of writes) {
    if (!/^\/domains\/[^/]+\/(aliases|rules)/.test(write.path)) continue;
    if (!write.path.startsWith(`/domains/${start.domain}/`)) continue;
    if (write.status === null || write.status > 204)
      throw new Error(`${write.path} was answered with ${write.status}`);
    for (const [index, item] of itemsOf(write).entries()) {
      const after = `${write.method} ${write.endpoint} item ${index}`;
      moment = write.path.includes('/aliases')
        ? { ...moment, aliases: withAlias(moment.aliases, write.method, item), after }
        : { ...moment, rules: withRule(moment.rules, write.method, item), after };
      moments.push(moment);
    }
  }
  return moments;
}

interface SentItem {
  readonly id: string;
  readonly alias?: string;
  readonly forward?: string;
  readonly type?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly rank?: number;
  readonly active?: boolean;
}

function itemsOf({ method, path, body }: JournalEntry): readonly SentItem[] {
  const sent = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (path.endsWith('/batch')) {
    const list = (sent['aliases'] ?? sent['rules'] ?? sent['ids']) as readonly unknown[];
    return list.map((item) => (typeof item === 'string' ? { id: item } : (item as SentItem)));
  }
  const id = method === 'POST' ? {} : { id: path.split('/').at(-1) ?? '' };
  return [{ ...(sent as unknown as SentItem), ...id }];
}

function withAlias(aliases: readonly DumpedAlias[], method: string, item: SentItem): readonly DumpedAlias[] {
  if (method === 'POST') return [...aliases, { alias: item.alias ?? '', forward: item.forward ?? '' }];
  const others = aliases.filter(({ id }) => String(id) !== item.id);
  const own = aliases.find(({ id }) => String(id) === item.id);
  if (method === 'DELETE' || own === undefined) return others;
  return [...others, { ...own, forward: item.forward ?? own.forward }];
}

function withRule(rules: readonly DumpedRule[], method: string, item: SentItem): readonly DumpedRule[] {
  const own = rules.find(({ id }) => id === item.id);
  const others = rules.filter(({ id }) => id !== item.id);
  if (method === 'DELETE') return others;
  const base = own ?? { id: item.id, type: item.type, config: {}, rank: 0, active: true };
  const { config = base.config, rank = base.rank, active = base.active } = item;
  const rule = { ...base, config, rank, active } as DumpedRule;
  // Equal ranks keep the order in which the rules were made.
  const position = own === undefined ? others.length : rules.indexOf(own);
  return others.toSpliced(position, 0, rule).sort((a, b) => a.rank - b.rank);
}

/** Destinations of a mail, and the matching entry. */
export interface Destination {
  readonly forward: string | null;
  readonly rule: DumpedRule | null;
}

export function destinationOf(moment: Moment, mail: Mail): Destination {
  const route: Route<RoutedAlias, RoutedDump> = createRouter({
    aliases: moment.aliases.map(({ alias, forward }) => ({ name: alias, forward: decodeForward(forward) })),
    rules: moment.rules.map((rule) => ({
      rule,
      match: matchOf(rule),
      forward: decodeForward(String(rule.config['forward'])),
      active: rule.active,
    })),
    mode: 'rules-then-aliases',
    fallback: null,
  }).route(mail);
  return {
    forward: route.kind === 'refused' ? null : encodeForward(route.forward),
    rule: route.kind === 'rule' ? route.rule.rule : null,
  };
}

interface RoutedDump {
  readonly rule: DumpedRule;
  readonly match: RuleMatch;
  readonly forward: readonly Address[];
  readonly active: boolean;
}

function matchOf({ type, config }: DumpedRule): RuleMatch {
  return { type, ...config } as unknown as RuleMatch;
}

export interface Leniency {
  /** True if a mail may temporarily match another rule that matches it before or after the run. */
  readonly otherRules: 'allowed' | 'never';
}

/** Checks promise 1. Returns a sentence for each moment when a mail has neither its route before nor its route after the run. */
export function strayRoutes(
  moments: readonly Moment[],
  mails: readonly Mail[],
  { otherRules }: Leniency,
): readonly string[] {
  const [first] = moments;
  const last = moments.at(-1);
  if (first === undefined || last === undefined) return [];
  return mails.flatMap((mail) => {
    const before = destinationOf(first, mail);
    const after = destinationOf(last, mail);
    return moments.flatMap((moment) => {
      const now = destinationOf(moment, mail);
      if (now.forward === before.forward || now.forward === after.forward) return [];
      const known =
        now.rule !== null && [...first.rules, ...last.rules].some((rule) => sameRule(rule, now.rule));
      if (known && otherRules === 'allowed') return [];
      return [
        `${mail.to} goes to ${now.forward} after ${moment.after}; before ${before.forward}, afterwards ${after.forward}`,
      ];
    });
  });
}

function sameRule(a: DumpedRule, b: DumpedRule | null): boolean {
  return (
    b !== null &&
    a.active &&
    a.type === b.type &&
    sameMatch(matchOf(a), matchOf(b)) &&
    a.config['forward'] === b.config['forward']
  );
}

export function domainOf({ domains }: Dump, name: string): DumpedDomain {
  const found = domains.find(({ domain }) => domain === name);
  if (found === undefined) throw new Error(`${name} is not there`);
  return found;
}

export function mailTo(to: string, subject = ''): Mail {
  return { to, from: 'x@elsewhere.example', subject, body: '' };
}
