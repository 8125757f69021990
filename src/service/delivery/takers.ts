import type { LiveEngine } from '../../core/model/observed.ts';
import { isDiscard, normaliseDestination, type Destination } from '../../core/model/destinations.ts';
import { localPartOf } from '../../core/model/names.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import { createRouter, type Mail } from '../../core/routing/route.ts';
import type { RoutingState, StatedAlias, StatedRule } from './routing-state.ts';

/** The alias or rule that forwarded a message. */
export interface Taker {
  readonly kind: 'alias' | 'rule';
  readonly name: string;
  readonly source: Source | null;
  /** True if it accepts mail and drops it. */
  readonly drops: boolean;
}

/** The facts about a message in the logs. `destination` is null if the message went nowhere. */
export interface LoggedMail extends Omit<Mail, 'body'> {
  readonly destination: string | null;
}

/**
 * Returns the alias or rule that took a message. Returns null if that depends on the body or is unknown: it must be the same
 * one under every interpretation of the documents (field notes: Routing).
 */
export type FindTaker = (mail: LoggedMail) => Taker | null;

export function createTakers(state: RoutingState, engine: LiveEngine): FindTaker {
  const byAlias = engine === 'alias' || engine === null ? aliasTakers(state) : () => [];
  const byRule = engine === 'rules' || engine === null ? ruleTakers(state) : () => [];
  return (mail) => {
    const found = [...byRule(mail), ...byAlias(mail)];
    const only = onlyOne(found);
    if (only !== null && only.isCertain) return only.taker;
    // The destination shows which of the candidates took the message.
    return onlyOne(found.filter(({ forward }) => leadsTo(forward, mail.destination)))?.taker ?? null;
  };
}

interface Candidate {
  readonly taker: Taker;
  readonly forward: readonly Destination[];
  /** True if it took the message for certain, independent of the destination. */
  readonly isCertain: boolean;
}

function onlyOne(found: readonly Candidate[]): Candidate | null {
  const [first] = found;
  if (first === undefined) return null;
  const { kind, name } = first.taker;
  return found.every(({ taker }) => taker.kind === kind && taker.name === name) ? first : null;
}

function leadsTo(forward: readonly Destination[], destination: string | null): boolean {
  if (destination === null) return isDiscard(forward);
  const wanted = normaliseDestination(destination).toLowerCase();
  return forward.some((one) => one.toLowerCase() === wanted);
}

/**
 * Returns a function that finds the aliases that may have taken a message. A name is certain. Patterns and the catch-all are
 * certain only if the account cannot have other aliases.
 */
function aliasTakers({ aliases, hasOthers }: RoutingState): (mail: LoggedMail) => readonly Candidate[] {
  const { routesByAlias } = createRouter<StatedAlias, never>({
    aliases,
    rules: [],
    mode: 'aliases',
    fallback: null,
  });
  return ({ to }) =>
    routesByAlias(localPartOf(to)).flatMap((route) => {
      if (route.kind !== 'alias') return [];
      const { alias, by, forward } = route;
      const { name, source } = alias;
      const taker: Taker = { kind: 'alias', name, source, drops: isDiscard(forward) };
      const isCertain = by === 'name' || by === 'plus-address' || !hasOthers.aliases;
      return [{ taker, forward, isCertain }];
    });
}

type Verdict = 'yes' | 'no' | 'perhaps';

/** Returns a function that finds the first rule that certainly matches, and the rules before it that may match. */
function ruleTakers({ rules, hasOthers }: RoutingState): (mail: LoggedMail) => readonly Candidate[] {
  const tests = rules.filter(({ active }) => active).map((rule) => ({ rule, test: createTest(rule) }));
  return (mail) => {
    const found: Candidate[] = [];
    for (const { rule, test } of tests) {
      const verdict = rule.lostPlace === undefined ? test(mail) : unsure(test(mail));
      if (verdict === 'no') continue;
      const { name, source, forward } = rule;
      const taker: Taker = { kind: 'rule', name, source, drops: isDiscard(forward) };
      // A rule that may match is the taker only if it leads to the message's destination and no other candidate does.
      found.push({ taker, forward, isCertain: verdict === 'yes' && !hasOthers.rules });
      if (verdict === 'yes') break;
    }
    return found;
  };
}

/** Returns the verdict of a rule with an unknown place, which may come after another rule that matches. */
function unsure(verdict: Verdict): Verdict {
  return verdict === 'yes' ? 'perhaps' : verdict;
}

function createTest(rule: StatedRule): (mail: LoggedMail) => Verdict {
  const { match } = rule;
  if (match.type === 'cel' && /\bbody\b/.test(match.expression)) return () => 'perhaps';
  const readsBody = match.type === 'regex' && match.scopes.includes('body');
  const known = readsBody
    ? { ...rule, match: { ...match, scopes: match.scopes.filter((scope) => scope !== 'body') } }
    : rule;
  const { routes } = createRouter<never, StatedRule>({
    aliases: [],
    rules: [known],
    mode: 'rules',
    fallback: null,
  });
  return (mail) => {
    const answers = (['anywhere', 'whole'] as const).flatMap((anchoring) =>
      routes({ ...mail, body: '' }, anchoring).map(({ kind }) => kind === 'rule'),
    );
    if (answers.every(Boolean)) return 'yes';
    return readsBody || answers.some(Boolean) ? 'perhaps' : 'no';
  };
}
