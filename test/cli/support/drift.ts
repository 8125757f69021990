import type { Dump, DumpedAlias, DumpedDomain, DumpedRule } from '../../../src/emulator/account/dump.ts';

/** An account after edits by hand, and the affected entries of the manifest as `domain kind name`. */
export interface Drifted {
  readonly account: Dump;
  readonly touched: ReadonlySet<string>;
}

type Random = () => number;

/** Returns a generator of numbers below 1 that depend only on the seed. */
export function randomFrom(seed: number): Random {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Makes some edits by hand in these domains: aliases, rules, credentials and settings are changed, added and deleted. */
export function driftAccount(account: Dump, domains: readonly string[], seed: number): Drifted {
  const random = randomFrom(seed);
  const touched = new Set<string>();
  const count = 1 + Math.floor(random() * 6);
  let current = account;
  for (let index = 0; index < count; index += 1) {
    const name = pick(domains, random);
    const edit = pick(EDITS, random);
    current = {
      ...current,
      domains: current.domains.map((domain) =>
        domain.domain === name ? edit(domain, random, touched, index) : domain,
      ),
    };
  }
  return { account: current, touched };
}

type DomainEdit = (domain: DumpedDomain, random: Random, touched: Set<string>, index: number) => DumpedDomain;

const EDITS: readonly DomainEdit[] = [
  (domain, random, touched, index) =>
    editAlias(domain, random, touched, (alias) => ({
      ...alias,
      forward: `drift-${index}@elsewhere.example`,
    })),
  (domain, random, touched, index) =>
    editAlias(domain, random, touched, (alias) =>
      alias.forward === 'null'
        ? alias
        : { ...alias, forward: `${alias.forward}, extra-${index}@elsewhere.example` },
    ),
  (domain, random, touched) =>
    editAlias(domain, random, touched, (alias) => ({ ...alias, forward: alias.forward.split(',')[0] ?? '' })),
  (domain, random, touched) => editAlias(domain, random, touched, () => null),
  (domain, _, touched, index) => {
    touched.add(`${domain.domain} alias new-${index}`);
    const added = { alias: `new-${index}`, forward: 'somebody@elsewhere.example' };
    return { ...domain, aliases: [...domain.aliases, added] };
  },
  (domain, random, touched) =>
    editRule(domain, random, touched, (rule) => ({ ...rule, active: !rule.active })),
  (domain, random, touched) =>
    editRule(domain, random, touched, (rule) => ({
      ...rule,
      config: { ...rule.config, forward: 'drift@elsewhere.example' },
    })),
  (domain, random, touched) => editRule(domain, random, touched, () => null),
  (domain, random, touched, index) => {
    const ranks = domain.rules.map(({ rank }) => rank);
    const last = ranks.at(-1) ?? 0;
    return editRule(domain, random, touched, (rule) => ({
      ...rule,
      rank: random() < 0.5 ? (ranks[0] ?? 0) / (2 + index) : last + 5 + index,
    }));
  },
  (domain, _, touched, index) => {
    if (domain.rules.length === 0) return domain;
    touched.add(`${domain.domain} rule *`);
    const config = { alias: `visitor-${index}`, forward: 'desk@elsewhere.example' };
    const id = `00000000-0000-4000-8000-00000000000${index}`;
    return {
      ...domain,
      rules: [...domain.rules, { id, type: 'alias', config, rank: 500 + index, active: true }],
    };
  },
  (domain, _, touched) => {
    touched.add(`${domain.domain} credential *`);
    return { ...domain, credentials: domain.credentials.slice(1) };
  },
  (domain, _, touched, index) => {
    touched.add(`${domain.domain} domain notification_email`);
    return { ...domain, notification_email: `notify-${index}@elsewhere.example` };
  },
];

function editAlias(
  domain: DumpedDomain,
  random: Random,
  touched: Set<string>,
  edit: (alias: DumpedAlias) => DumpedAlias | null,
): DumpedDomain {
  if (domain.aliases.length === 0) return domain;
  const chosen = pick(domain.aliases, random);
  touched.add(`${domain.domain} alias ${chosen.alias}`);
  const aliases = domain.aliases.flatMap((alias) => (alias === chosen ? (edit(alias) ?? []) : [alias]));
  return { ...domain, aliases };
}

function editRule(
  domain: DumpedDomain,
  random: Random,
  touched: Set<string>,
  edit: (rule: DumpedRule) => DumpedRule | null,
): DumpedDomain {
  if (domain.rules.length === 0) return domain;
  const chosen = pick(domain.rules, random);
  touched.add(`${domain.domain} rule *`);
  return {
    ...domain,
    rules: domain.rules.flatMap((rule) => (rule === chosen ? (edit(rule) ?? []) : [rule])),
  };
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
