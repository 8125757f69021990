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
  /** Whether it accepts mail and drops it. */
  readonly drops: boolean;
}

/** What the logs show of a message; `destination`: null where it went nowhere. */
export interface LoggedMail extends Omit<Mail, 'body'> {
  readonly destination: string | null;
}

/**
 * Which alias or rule took a message; null where that needs its body, or is not known: under every reading that the documents
 * leave open (field notes: Routing) it must be the same one.
 */
export type FindTaker = (mail: LoggedMail) => Taker | null;

export function createTakers(state: RoutingState, engine: LiveEngine): FindTaker {
  const byAlias = engine === 'alias' || engine === null ? aliasTakers(state) : () => [];
  const byRule = engine === 'rules' || engine === null ? ruleTakers(state) : () => [];
  return (mail) => {
    const found = [...byRule(mail), ...byAlias(mail)];
    const only = onlyOne(found);
    if (only !== null && only.isCertain) return only.taker;
    // Where it went tells those apart that could have taken it.
    return onlyOne(found.filter(({ forward }) => leadsTo(forward, mail.destination)))?.taker ?? null;
  };
}

interface Candidate {
  readonly taker: Taker;
  readonly forward: readonly Destination[];
  /** Whether it took the message for sure, wherever that went. */
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

/** A name is certain; of patterns and the catch-all only where no other alias can be there. */
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

/** The first that matches for sure, and those before it that may. */
function ruleTakers({ rules, hasOthers }: RoutingState): (mail: LoggedMail) => readonly Candidate[] {
  const tests = rules.filter(({ active }) => active).map((rule) => ({ rule, test: createTest(rule) }));
  return (mail) => {
    const found: Candidate[] = [];
    for (const { rule, test } of tests) {
      const verdict = rule.lostPlace === undefined ? test(mail) : unsure(test(mail));
      if (verdict === 'no') continue;
      const { name, source, forward } = rule;
      const taker: Taker = { kind: 'rule', name, source, drops: isDiscard(forward) };
      // One that may match is the one only where the message went where it leads, and no other leads there.
      found.push({ taker, forward, isCertain: verdict === 'yes' && !hasOthers.rules });
      if (verdict === 'yes') break;
    }
    return found;
  };
}

/** One whose place is not known may come after another that matches. */
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
