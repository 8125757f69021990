import type { Dump, DumpedDomain } from '../../../src/emulator/account/dump.ts';
import type { AliasSection, Desired, PresentDomain, RuleSection } from '../../../src/core/model/desired.ts';
import { decodeForward, sameDestinations } from '../../../src/core/model/destinations.ts';
import { sameMatch } from '../../../src/core/model/resources.ts';
import { matchOf } from './probes.ts';

/** Returns the differences between an account and a manifest as sentences, without the planner. */
export function shortfalls(account: Dump, desired: Desired): readonly string[] {
  return [...desired.domains].flatMap(([name, wanted]) => {
    const live = account.domains.find(({ domain }) => domain === name);
    if (wanted.state === 'absent') return live === undefined ? [] : [`${name} is still there`];
    return live === undefined
      ? [`${name} is missing`]
      : inDomain(live, wanted).map((what) => `${name}: ${what}`);
  });
}

/** Returns the wanted aliases and rules of a domain that are not in place. Additional conditions of a rule do not count. */
export function missingRoutes(account: Dump, desired: Desired, name: string): readonly string[] {
  const live = account.domains.find(({ domain }) => domain === name);
  const wanted = [...desired.domains].find(([domain]) => domain === name)?.[1];
  if (live === undefined || wanted?.state !== 'present') return [];
  const { aliases, rules } = wanted;
  const missing = [...(aliases?.entries ?? [])].filter(
    ([key, entry]) =>
      entry.state === 'present' &&
      !live.aliases.some(
        ({ alias, forward }) =>
          alias.toLowerCase() === key && sameDestinations(decodeForward(forward), entry.forward),
      ),
  );
  const lacking = (rules?.entries ?? []).filter(
    (entry) =>
      entry.state === 'present' &&
      !live.rules.some(
        (rule) =>
          rule.id === entry.id || entry.derivedIds.includes(rule.id) || sameMatch(matchOf(rule), entry.match),
      ),
  );
  return [
    ...missing.map(([key]) => `alias ${key} is not in place`),
    ...lacking.map((entry) => `rule ${entry.name} is not in place`),
  ];
}

function inDomain(live: DumpedDomain, { aliases, rules }: PresentDomain): readonly string[] {
  return [
    ...(aliases === undefined ? [] : aliasShortfalls(live, aliases)),
    ...(rules === undefined ? [] : ruleShortfalls(live, rules)),
  ];
}

function aliasShortfalls({ aliases }: DumpedDomain, section: AliasSection): readonly string[] {
  const found: string[] = [];
  for (const [key, entry] of section.entries) {
    const live = aliases.filter(({ alias }) => alias.toLowerCase() === key);
    if (entry.state === 'absent') {
      if (live.length > 0) found.push(`alias ${key} is still there`);
    } else if (live.length !== 1 || !sameDestinations(decodeForward(live[0]?.forward ?? ''), entry.forward)) {
      found.push(`alias ${key} is ${JSON.stringify(live)} and not ${entry.forward.join()}`);
    }
  }
  if (!section.prune) return found;
  const extra = aliases.filter(
    ({ alias }) => !section.entries.has(alias.toLowerCase() as never) && !alias.startsWith('tmp-'),
  );
  return [...found, ...extra.map(({ alias }) => `alias ${alias} is still there`)];
}

/** In the order of the manifest, one live rule for each entry. */
function ruleShortfalls({ rules }: DumpedDomain, section: RuleSection): readonly string[] {
  const found: string[] = [];
  const taken: number[] = [];
  for (const entry of section.entries) {
    if (entry.state === 'absent') continue;
    const position = rules.findIndex(
      (rule, index) =>
        !taken.includes(index) &&
        sameMatch(matchOf(rule), entry.match) &&
        sameDestinations(decodeForward(String(rule.config['forward'])), entry.forward) &&
        rule.active === entry.active,
    );
    if (position < 0) found.push(`rule ${entry.name} is missing`);
    else taken.push(position);
  }
  if (taken.some((position, index) => index > 0 && position < (taken[index - 1] ?? 0)))
    found.push('the rules are in another order');
  const ignored = rules.filter(({ id }) => section.ignore.includes(id)).length;
  if (section.prune && rules.length !== taken.length + ignored) found.push(`there are ${rules.length} rules`);
  return found;
}
