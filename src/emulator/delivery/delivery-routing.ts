import { expressionMatcher, type MailTexts } from './delivery-expressions.ts';
import { patternMatcher, type Match } from './delivery-patterns.ts';
import type { Alias, Rule, RuleConfig } from '../account/model.ts';
import { isPattern } from '../account/resources/aliases.ts';
import type { DomainRecord, State } from '../account/state.ts';
import type { Switches } from '../account/switches.ts';

/** The alias or rule that matches a message. `forward` is its forward with capture groups and plus label filled in. */
export type MailRoute =
  | {
      readonly kind: 'alias';
      readonly alias: Alias;
      readonly by: 'name' | 'plus-address' | 'regex' | 'catch-all';
      readonly forward: string;
    }
  | { readonly kind: 'rule'; readonly rule: Rule; readonly forward: string }
  | { readonly kind: 'fallback'; readonly forward: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Mail hosts to which the label is added again (field notes: Routing, aliases mode). */
const LABELLED_HOSTS = new Set([
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

/** Routes a mail to one domain (field notes: Routing). */
export function routeMail(state: State, domain: DomainRecord, mail: MailTexts): MailRoute {
  if (domain.fields.banned && state.switches.bannedDomain === 'refuse') {
    return { kind: 'refused', reason: 'the domain is banned' };
  }
  if (!domain.fields.forwarding_ready && state.switches.unverifiedDomain === 'refuse') {
    return { kind: 'refused', reason: 'the MX records of the domain do not point to the service' };
  }
  switch (domain.fields.routing_engine) {
    case null:
      return state.switches.disabledRouting === 'refuse'
        ? { kind: 'refused', reason: 'routing is disabled for the domain' }
        : { kind: 'fallback', forward: 'null' };
    case 'alias':
      return routeByAlias(domain, state.switches, localPart(mail.recipient));
    case 'rules':
      return routeByRule(state, domain, mail);
  }
}

/** Returns the one alias that takes the mail. The order is exact name, plus addressing, regular expressions, `*`. */
function routeByAlias(domain: DomainRecord, switches: Switches, local: string): MailRoute {
  // `*` comes last, even for mail to an address with that name.
  const named = (name: string): Alias | undefined => (name === '*' ? undefined : domain.aliases.get(name));
  const exact = named(local);
  if (exact !== undefined) return { kind: 'alias', alias: exact, by: 'name', forward: exact.forward };
  const { name, label } = splitLabel(local);
  const base = label === null ? undefined : named(name);
  if (base !== undefined) {
    const forward = base.forward.split(',').map((entry) => addLabel(entry.trim(), label ?? ''));
    return { kind: 'alias', alias: base, by: 'plus-address', forward: forward.join(',') };
  }
  for (const alias of patternsInOrder(domain, switches)) {
    const match = patternOf(alias, switches)(local);
    if (match === null) continue;
    return { kind: 'alias', alias, by: 'regex', forward: fillGroups(alias.forward, match) };
  }
  const all = domain.aliases.get('*');
  if (all === undefined) return { kind: 'refused', reason: 'no alias matches this address' };
  return { kind: 'alias', alias: all, by: 'catch-all', forward: all.forward };
}

/** Tries active rules in ascending rank. The first rule that matches takes the mail, else the fallback does. */
function routeByRule(state: State, domain: DomainRecord, mail: MailTexts): MailRoute {
  for (const rule of domain.rules.inOrder('rank')) {
    const match = rule.active ? matchRule(rule.config, mail, state.switches) : null;
    if (match === null) continue;
    const { forward } = rule.config;
    const isFilled = state.switches.ruleCaptures === 'filled';
    return { kind: 'rule', rule, forward: isFilled ? fillGroups(forward, match) : forward };
  }
  return { kind: 'fallback', forward: domain.fields.rules_fallback_email ?? 'null' };
}

function matchRule(config: RuleConfig, mail: MailTexts, switches: Switches): Match {
  switch (config.type) {
    case 'alias':
      return matchAliasRule(config.alias, localPart(mail.recipient), switches);
    case 'regex': {
      const pattern = remember(config, switches.ruleRegexMatch, () =>
        patternMatcher(config.regex, { extent: switches.ruleRegexMatch, letterCase: 'exact' }),
      );
      for (const scope of config.scopes) {
        const match = pattern(mail[scope]);
        if (match !== null) return match;
      }
      return null;
    }
    case 'cel':
      return remember(config, '', () => expressionMatcher(config.expression))(mail) ? [] : null;
  }
}

/** Matches an alias rule, whose alias is `*`, a prefix such as `sales*`, a regular expression or a name. */
function matchAliasRule(alias: string, local: string, switches: Switches): Match {
  const isPrefix =
    switches.ruleDotStar === 'prefix' && alias.endsWith('.*') && !isPattern(alias.slice(0, -1));
  if (isPattern(alias) && !isPrefix)
    return patternMatcher(alias, { extent: 'whole', letterCase: 'any' })(local);
  const wanted = alias.toLowerCase();
  const sent = local.toLowerCase();
  const names = switches.rulePlusAddressing === 'base' ? [sent, splitLabel(sent).name] : [sent];
  const isTaken = wanted.endsWith('*') ? sent.startsWith(wanted.slice(0, -1)) : names.includes(wanted);
  return isTaken ? [] : null;
}

function patternsInOrder({ aliases }: DomainRecord, { regexAliasOrder }: Switches): readonly Alias[] {
  return aliases.inOrder(regexAliasOrder).filter(({ alias }) => isPattern(alias));
}

function patternOf(alias: Alias, switches: Switches): (text: string) => Match {
  const isExact = switches.aliasNameCase === 'sensitive' || switches.aliasPatternCase === 'sensitive';
  const letterCase = isExact ? 'exact' : 'any';
  return remember(alias, letterCase, () => patternMatcher(alias.alias, { extent: 'whole', letterCase }));
}

const compiled = new WeakMap<object, { readonly variant: string; readonly value: unknown }>();

/** Caches the result of `make` for this object, as long as the variant is the same. */
function remember<T>(owner: object, variant: string, make: () => T): T {
  const known = compiled.get(owner);
  if (known?.variant === variant) return known.value as T;
  const value = make();
  compiled.set(owner, { variant, value });
  return value;
}

function fillGroups(forward: string, match: readonly string[]): string {
  return forward.replace(/\$(\d)/g, (written, digit: string) => match[Number(digit)] ?? written);
}

function addLabel(destination: string, label: string): string {
  const at = destination.lastIndexOf('@');
  const host = destination.slice(at + 1).toLowerCase();
  const isLabelled = LABELLED_HOSTS.has(host) && !destination.includes('://');
  return isLabelled ? `${destination.slice(0, at)}+${label}${destination.slice(at)}` : destination;
}

function splitLabel(local: string): { readonly name: string; readonly label: string | null } {
  const plus = local.indexOf('+');
  if (plus < 1) return { name: local, label: null };
  return { name: local.slice(0, plus), label: local.slice(plus + 1) };
}

function localPart(address: string): string {
  return address.slice(0, address.lastIndexOf('@'));
}
