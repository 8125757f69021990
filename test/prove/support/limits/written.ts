import type { Seed, SeedDomain, SeedRule } from '../../../../src/emulator/account/seed.ts';
import { idOf, type DomainShape, type Shape } from './shapes.ts';

/** Number of items in unmanaged sections, which must not be read. */
const UNMANAGED = 3;
const OLD = 'ana@corp.example';
const NEW = 'ben@corp.example';
/** Value of the variable that a manifest names as `env: PASSWORD`. */
export const PASSWORD = 'correct horse battery';
export const EMAIL = 'owner@account.example';

/** The live account of a shape. */
export function seedOf({ domains, others }: Shape): Seed {
  const live = domains.filter(({ state }) => state !== 'new');
  const unnamed = Array.from({ length: others }, (_, index) => ({ domain: `other${index}.example` }));
  return {
    account: { email: EMAIL },
    domains: [...live.map(liveDomain), ...unnamed],
  };
}

function liveDomain({ name, aliases, rules, credentials }: DomainShape): SeedDomain {
  const old = { forward: OLD };
  return {
    domain: name,
    notification_email: OLD,
    aliases: named('aliases', aliases, ['kept', 'updated', 'deleted']).map((alias) => ({ alias, ...old })),
    rules: named('rules', rules, ['kept', 'updated', 'narrowed', 'deleted', 'moved']).map(
      (rule, index): SeedRule => ({
        id: idOf(`${name} ${rule}`),
        type: 'alias',
        config: { alias: rule, ...old },
        rank: (index + 1) * 10,
        active: true,
      }),
    ),
    credentials: named('credentials', credentials, ['kept', 'deleted']).map((username) => ({ username })),
  };
}

/** Maximum number of domains per file, because the size of a file is limited. */
const PER_FILE = 2_000;

/** The manifest of the account, as files. */
export function manifestsOf({ domains }: Shape): readonly string[] {
  const files = Map.groupBy(domains, (_, index) => Math.floor(index / PER_FILE)).values();
  const guards = 'guards: { max_deletes: 1000000, max_delete_percent: 100 }\n';
  return [...files].map((own, index) => {
    return `version: 1\n${index === 0 ? guards : ''}domains:\n${own.map(wantedDomain).join('')}`;
  });
}

function wantedDomain({ name, state, settings, aliases, rules, credentials }: DomainShape): string {
  if (state === 'tombstone') return `  ${name}: { state: absent }\n`;
  const lines = [`  ${name}:`];
  // If it were pruned, a new domain's section would be read for items that the service made.
  if (state === 'live') lines.push('    prune: true');
  if (settings === 'updated') lines.push(`    notification_email: ${NEW}`);
  if (aliases !== null) lines.push(...section('aliases', wantedAliases(aliases), '{}'));
  if (rules !== null) lines.push(...section('rules', wantedRules(name, rules), '[]'));
  if (credentials !== null) lines.push(...section('credentials', wantedCredentials(credentials), '{}'));
  return `${lines.join('\n')}\n`;
}

function section(name: string, entries: readonly string[], empty: string): readonly string[] {
  return entries.length === 0 ? [`    ${name}: ${empty}`] : [`    ${name}:`, ...entries];
}

function wantedAliases(counts: NonNullable<DomainShape['aliases']>): readonly string[] {
  const same = named('aliases', counts, ['kept', 'added']).map((alias) => `      ${alias}: ${OLD}`);
  const other = named('aliases', counts, ['updated']).map((alias) => `      ${alias}: [${OLD}, ${NEW}]`);
  return [...same, ...other];
}

/** Moved rules come first, added rules last. */
function wantedRules(domain: string, counts: NonNullable<DomainShape['rules']>): readonly string[] {
  const rule = (name: string, forward = OLD, alias = name): string =>
    `      - { name: ${name}, id: ${idOf(`${domain} ${name}`)}, alias: ${alias}, forward: ${forward} }`;
  return [
    ...named('rules', counts, ['moved', 'kept']).map((name) => rule(name)),
    ...named('rules', counts, ['updated']).map((name) => rule(name, `[${OLD}, ${NEW}]`)),
    ...named('rules', counts, ['narrowed']).map((name) => rule(name, OLD, `other-${name}`)),
    ...named('rules', counts, ['added']).map((name) => rule(name)),
  ];
}

function wantedCredentials(counts: NonNullable<DomainShape['credentials']>): readonly string[] {
  return [
    ...named('credentials', counts, ['kept']).map((name) => `      ${name}: {}`),
    ...named('credentials', counts, ['added']).map(
      (name) => `      ${name}: { password: { env: PASSWORD } }`,
    ),
  ];
}

/** Returns names such as `kept-0` for the given parts of a section; a few for an unmanaged section. */
function named<Part extends string>(
  section: string,
  counts: Readonly<Partial<Record<Part, number>>> | null,
  parts: readonly Part[],
): readonly string[] {
  if (counts === null) return Array.from({ length: UNMANAGED }, (_, index) => `${section}-${index}`);
  return parts.flatMap((part) => Array.from({ length: counts[part] ?? 0 }, (_, index) => `${part}-${index}`));
}
