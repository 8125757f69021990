import type { ReceivingSetting } from '../../kinds/domain/fields.ts';
import type { Destination } from '../../model/destinations.ts';
import type { DomainName } from '../../model/names.ts';
import type { RoutedAlias, RoutedRule } from '../../routing/route.ts';
import { createLeads, type Leads, type WantedTest } from '../../routing/leads/leads.ts';
import { patternOfAlias, patternOfRule, type LeadingDomain } from '../../routing/leads/domain-steps.ts';

export type WhoKind = 'alias' | 'rule' | 'catch-all' | ReceivingSetting;

/** A domain of the manifest or the account, with those settings that are destinations. */
export interface WhoDomain<A extends RoutedAlias, R extends RoutedRule, S> extends LeadingDomain<A, R> {
  readonly domain: DomainName;
  readonly settings: readonly WhoSetting<S>[];
  readonly nameOfRule: (rule: R) => string;
}

export interface WhoSetting<S> {
  readonly kind: ReceivingSetting;
  readonly value: Destination;
  readonly item: S;
}

/** An entry that leads to a destination. */
export interface LeadingEntry<E> {
  readonly domain: DomainName;
  readonly kind: WhoKind;
  /** null for a setting. */
  readonly name: string | null;
  /** True if its mail ends only there. */
  readonly only: boolean;
  /** True if it depends on the mail, or on unknown parts of the account, if the mail ends there. */
  readonly possible: boolean;
  readonly forward: readonly Destination[];
  /** The regular expression whose groups `$1` in the destinations refers to; null means that there is none. */
  readonly pattern: string | null;
  /** null for the fallback of rules. */
  readonly item: E | null;
}

export interface LeadingEntries<E, M> {
  readonly entries: readonly LeadingEntry<E>[];
  /** Entries that lead there but take no mail: they are not active, or the other engine decides. */
  readonly idle: readonly LeadingEntry<E>[];
  readonly leads: Leads<M>;
}

/** Returns the entries that lead to a destination, in the order of the domains. */
export function findLeading<A extends RoutedAlias, R extends RoutedRule, S>(
  domains: readonly WhoDomain<A, R, S>[],
  wants: WantedTest,
): LeadingEntries<A | R | S, A | R> {
  const starts = domains.flatMap(({ settings }) => settings.map(({ value }) => value));
  const leads = createLeads(new Map(domains.map((domain) => [domain.domain, domain])), starts, wants);
  const entries: LeadingEntry<A | R | S>[] = [];
  const idle: LeadingEntry<A | R | S>[] = [];
  for (const domain of domains) {
    for (const { isIdle, ...entry } of candidatesIn(domain)) {
      const { leads: certainty, endsElsewhere } = leads.leadOf(entry.forward, entry.pattern);
      if (certainty === 'never') continue;
      const found = { ...entry, only: !endsElsewhere, possible: certainty === 'perhaps' };
      (isIdle ? idle : entries).push({ domain: domain.domain, ...found });
    }
  }
  return { entries, idle, leads };
}

type Candidate<E> = Omit<LeadingEntry<E>, 'domain' | 'only' | 'possible'> & { readonly isIdle: boolean };

function* candidatesIn<A extends RoutedAlias, R extends RoutedRule, S>(
  domain: WhoDomain<A, R, S>,
): Generator<Candidate<A | R | S>> {
  const { aliases, rules, engine, fallback, settings, nameOfRule } = domain;
  for (const alias of aliases) {
    const { name, forward } = alias;
    const kind = name === '*' ? 'catch-all' : 'alias';
    const isIdle = engine === 'rules' || engine === 'none';
    yield { kind, name, forward, pattern: patternOfAlias(alias), item: alias, isIdle };
  }
  for (const rule of rules) {
    const isIdle = !rule.active || engine === 'alias' || engine === 'none';
    const name = nameOfRule(rule);
    yield { kind: 'rule', name, forward: rule.forward, pattern: patternOfRule(rule), item: rule, isIdle };
  }
  if (fallback !== null && engine === 'rules') {
    const name = 'rules_fallback_email';
    yield { kind: 'catch-all', name, forward: [fallback], pattern: null, item: null, isIdle: false };
  }
  for (const { kind, value, item } of settings) {
    yield { kind, name: null, forward: [value], pattern: null, item, isIdle: false };
  }
}
