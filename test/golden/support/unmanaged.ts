import type { AliasSection, CredentialSection, Desired, PresentDomain, RuleSection } from '../../../src/core/model/desired.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import { nameKey } from '../../../src/core/model/names.ts';
import { sameMatch, type RuleMatch } from '../../../src/core/model/resources.ts';
import type { Dump, DumpedDomain, DumpedRule } from '../../../src/emulator/account/dump.ts';

/**
 * Returns the part of an account that a manifest does not manage, including ids and times. An apply must not change it.
 * It is written from the docs of the manifest, independently of the planner. `ids` are rules that the run manages, such as rules
 * that an earlier run took over.
 */
export function unmanagedPart(account: Dump, desired: Desired, ids: ReadonlySet<string>): unknown {
  return account.domains.flatMap((domain) => {
    const wanted = desired.domains.get(domain.domain as DomainName);
    if (wanted === undefined) return domain;
    return wanted.state === 'absent' ? [] : unmanagedOf(domain, wanted, ids);
  });
}

function unmanagedOf(domain: DumpedDomain, wanted: PresentDomain, ids: ReadonlySet<string>): unknown {
  const { updated_at: _, notification_email, whitelabel, webhook, ...rest } = domain;
  const { settings } = wanted;
  return {
    ...rest,
    ...(settings.notification_email === undefined ? { notification_email } : {}),
    ...(settings.whitelabel === undefined ? { whitelabel } : {}),
    ...(settings.webhook === undefined ? { webhook } : {}),
    aliases: domain.aliases.filter(({ alias }) => isFree(wanted.aliases, alias)),
    rules: domain.rules.filter((rule) => isFreeRule(wanted.rules, rule, ids)),
    credentials: domain.credentials.filter(({ username }) => isFree(wanted.credentials, username)),
  };
}

function isFree(section: AliasSection | CredentialSection | undefined, name: string): boolean {
  if (section === undefined) return true;
  if (section.entries.has(nameKey(name))) return false;
  return !section.prune || section.ignore.some((pattern) => glob(pattern).test(name));
}

function isFreeRule(section: RuleSection | undefined, rule: DumpedRule, ids: ReadonlySet<string>): boolean {
  if (section === undefined) return true;
  if (section.ignore.includes(rule.id)) return true;
  if (section.prune || ids.has(rule.id)) return false;
  return !section.entries.some((entry) =>
    entry.state === 'absent'
      ? entry.id === rule.id || entry.derivedIds.includes(rule.id)
      : entry.id === rule.id || sameMatch(entry.match, matchOf(rule)),
  );
}

function matchOf({ type, config }: DumpedRule): RuleMatch {
  return { type, ...config } as unknown as RuleMatch;
}

/** `*` matches any text, `?` one character; a backslash makes the next character literal. */
function glob(pattern: string): RegExp {
  const source = pattern.replace(/\\?[^]/g, (part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return `\\u{${(part.codePointAt(part.length - 1) ?? 0).toString(16)}}`;
  });
  return new RegExp(`^${source}$`, 'iu');
}
