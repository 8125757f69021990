import { capturesIn, type Destination } from '../../model/destinations.ts';
import { localPartOf, takesOthers } from '../../model/names.ts';
import type { LiveEngine } from '../../model/observed.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { lazily } from '../lazily.ts';
import { aliasCondition, type NameVerdict } from '../name-match.ts';
import { groupOf, wordsOfGroup } from './groups.ts';
import { recipientExpression } from './recipient-expression.ts';
import { compilePattern } from '../regex.ts';
import { createRouter, type RoutedAlias, type RoutedRule } from '../route.ts';

/** A domain that routes mail, as the manifest or the account has it. */
export interface LeadingDomain<A extends RoutedAlias, R extends RoutedRule> {
  readonly aliases: readonly A[];
  /** The rules in the order of evaluation. */
  readonly rules: readonly R[];
  readonly engine: LiveEngine;
  /** The destination of mail that no rule matches; null means that it is not known. */
  readonly fallback: Destination | null;
}

/** Something that a domain may do with a message. */
export interface MailStep<E> {
  /** The alias or rule that takes the message; null means that none does. */
  readonly entry: E | null;
  /** The destinations; empty if the message is refused, or if they are not known. */
  readonly forward: readonly Destination[];
  /** The regular expression that `$1` in the destinations is a group of; null means that there is none. */
  readonly pattern: string | null;
}

/** Everything that a domain may do with mail, for any content of the mail and any routing engine. */
export interface DomainSteps<E> {
  readonly at: (address: string) => readonly MailStep<E>[];
  /** Returns the same for all addresses of which the local part is meant. */
  readonly atAll: (isMeant: (localPart: string) => boolean) => readonly MailStep<E>[];
}

const NOWHERE = { entry: null, forward: [], pattern: null } as const;

export function createDomainSteps<A extends RoutedAlias, R extends RoutedRule>(
  domain: LeadingDomain<A, R>,
): DomainSteps<A | R> {
  const { aliases, fallback } = domain;
  const active = domain.rules.filter((rule) => rule.active);
  const { byAlias, byRule } = enginesOf(domain.engine, aliases.length > 0, active.length > 0);
  const router = lazily(() => createRouter({ aliases, rules: [], mode: 'aliases', fallback: null }));
  const conditions = active.map((rule) => ({ rule, takes: lazily(() => recipientCondition(rule.match)) }));
  const unmatched: MailStep<never> = fallback === null ? NOWHERE : { ...NOWHERE, forward: [fallback] };
  return {
    at: (address) => [
      ...(byAlias ? router().routesByAlias(localPartOf(address)).map(aliasStep) : []),
      ...(byRule ? ruleSteps(conditions, address, unmatched) : []),
    ],
    atAll: (isMeant) => [
      ...(byAlias ? aliases.filter(({ name }) => takesOthers(name) || isMeant(name)) : []).map((alias) => ({
        entry: alias,
        forward: alias.forward,
        pattern: patternOfAlias(alias),
      })),
      ...(byAlias && aliases.every(({ name }) => name !== '*') ? [NOWHERE] : []),
      ...(byRule ? allRuleSteps(active, unmatched) : []),
    ],
  };
}

/** Returns the engines that may decide. Where that is not known, one that has nothing to go by does not. */
function enginesOf(
  engine: LiveEngine,
  hasAliases: boolean,
  hasRules: boolean,
): { readonly byAlias: boolean; readonly byRule: boolean } {
  if (engine !== null) return { byAlias: engine === 'alias', byRule: engine === 'rules' };
  return { byAlias: hasAliases || !hasRules, byRule: hasRules };
}

function aliasStep<A extends RoutedAlias>(
  route: ReturnType<ReturnType<typeof createRouter<A, never>>['routesByAlias']>[number],
): MailStep<A> {
  if (route.kind !== 'alias') return NOWHERE;
  return { entry: route.alias, forward: route.forward, pattern: null };
}

function ruleStep<R extends RoutedRule>(rule: R): MailStep<R> {
  return { entry: rule, forward: rule.forward, pattern: patternOfRule(rule) };
}

/** Returns the rules that may take mail to an address, up to the first that certainly does. */
function ruleSteps<R extends RoutedRule>(
  conditions: readonly { readonly rule: R; readonly takes: () => (address: string) => NameVerdict }[],
  address: string,
  unmatched: MailStep<never>,
): readonly MailStep<R>[] {
  const steps: MailStep<R>[] = [];
  for (const { rule, takes } of conditions) {
    const verdict = takes()(address);
    if (verdict === false) continue;
    steps.push(ruleStep(rule));
    if (verdict === true) return steps;
  }
  return [...steps, unmatched];
}

/** Returns the rules that may take mail to some address, up to the first that takes all. */
function allRuleSteps<R extends RoutedRule>(
  active: readonly R[],
  unmatched: MailStep<never>,
): readonly MailStep<R>[] {
  const last = active.findIndex(({ match }) => match.type === 'alias' && match.alias === '*');
  const steps = active.slice(0, last === -1 ? active.length : last + 1).map((rule) => ruleStep(rule));
  return last === -1 ? [...steps, unmatched] : steps;
}

/** Compiles a condition for mail of which only the recipient is known. */
function recipientCondition(match: RuleMatch): (address: string) => NameVerdict {
  switch (match.type) {
    case 'alias': {
      const takes = aliasCondition(match.alias);
      return (address) => takes(localPartOf(address));
    }
    case 'regex': {
      const compiled = compilePattern(match.regex, { letterCase: 'exact' });
      if (!compiled.ok) return () => false;
      const { finds, matchesAll } = compiled.value;
      const readsRecipient = match.scopes.includes('recipient');
      const readsOthers = match.scopes.some((scope) => scope !== 'recipient');
      return (address) => {
        if (readsRecipient && finds(address)) return matchesAll(address) ? true : 'possible';
        return readsOthers ? 'possible' : false;
      };
    }
    case 'cel':
      return recipientExpression(match.expression);
  }
}

/** Returns the regular expression that `$1` in the destinations of an alias is a group of; null means that there is none. */
export function patternOfAlias({ name }: Pick<RoutedAlias, 'name'>): string | null {
  return takesOthers(name) ? name : null;
}

/** Returns the regular expression that `$1` in the destinations of a rule is a group of; null means that there is none. */
export function patternOfRule({ match }: Pick<RoutedRule, 'match'>): string | null {
  if (match.type === 'cel') return null;
  return match.type === 'alias' ? match.alias : match.regex;
}

/** True if a destination is another address for each mail. */
export function isTemplate(destination: string, pattern: string | null): boolean {
  return pattern !== null && capturesIn(destination).length > 0;
}

/** Returns all texts that one with a capture may become, where these are few words; else null. */
export function becomesOneOf(template: string, pattern: string): readonly string[] | null {
  const groups = new Set(capturesIn(template));
  const [capture = ''] = groups;
  const words = groups.size === 1 ? wordsOfGroup(pattern, Number(capture.slice(1))) : null;
  return words?.map((word) => template.replaceAll(capture, word)) ?? null;
}

/** Returns a function that tells whether a text with captures may become another text. */
export function becomes(template: string, pattern: string): (text: string) => boolean {
  const parts = template.split(/\$\d/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  const whole = new RegExp(`^${parts.join('(.*)')}$`, 'iu');
  const captures = capturesIn(template);
  const mayHold = lazily(() => groupOf(pattern, Number(captures[0]?.slice(1))));
  return (text) => {
    const captured = whole.exec(text)?.slice(1);
    // With several captures it is unknown where each one ends.
    return captured !== undefined && (captures.length !== 1 || mayHold()(captured[0] ?? ''));
  };
}
