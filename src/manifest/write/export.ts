import { SECTIONS, type Section } from '../../model/kinds.ts';
import {
  forwardDocument,
  ruleDocument,
  type DomainDocument,
  type ManifestDocument,
  type ShowForward,
} from '../../model/manifest-document.ts';
import { nameKey, quote, type DomainName } from '../../model/names.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import type { RuleDocument, ObservedAlias, ObservedRule } from '../../model/resources.ts';
import { dropRefused } from './drop-refused.ts';
import { createRuleNamer } from './rule-names.ts';

export interface ExportOptions {
  /** Generation of the API that was read: a webhook can be stated for v3 only. */
  readonly version: 'v4' | 'v3';
  /** Only these domains; by default all that were read. */
  readonly domains?: ReadonlySet<DomainName>;
  /** Whether the document states the account and version; with one file a domain, one of them does. */
  readonly api: 'stated' | 'left-out';
  /** Whether what the manifest does not name is to be deleted; only of domains that it can name completely. */
  readonly prune?: 'stated' | 'left-out';
  /** How destinations are written; by default as they are. */
  readonly showForward?: ShowForward;
}

/**
 * A live account as a manifest whose plan is empty: every section that was read, with nothing pruned. What the
 * manifest language cannot express is listed in comments with the reason, and so stays unmanaged.
 */
export function exportDocument(observed: Observed, options: ExportOptions): ManifestDocument {
  const live = [...observed.domains.values()]
    .filter(({ domain }) => options.domains?.has(domain) ?? true)
    .filter(({ domain }) => !observed.unproven.has(domain))
    .sort((a, b) => (a.domain < b.domain ? -1 : 1));
  const unread = [...observed.unproven].map(
    ([domain, { reason }]) => `${domain} is left out, because it could not be read: ${reason}`,
  );
  const { comments = [], domains } = dropRefused(
    { version: 1, domains: new Map(live.map((domain) => [domain.domain, exportDomain(domain, options)])) },
    options.version,
  );
  const prune = options.prune === 'stated';
  return {
    version: 1,
    comments: [...comments, ...unread],
    ...(options.api === 'left-out' ? {} : { api: apiOf(observed, options) }),
    domains: prune ? new Map([...domains].map(([name, domain]) => [name, pruned(domain)])) : domains,
  };
}

/** What cannot be named must not be pruned. */
function pruned(domain: DomainDocument): DomainDocument {
  const { comments = [] } = domain;
  if (comments.length === 0) return { ...domain, prune: true };
  return { ...domain, comments: [...comments, '`prune` is left out: it would delete what is not managed'] };
}

function apiOf({ account }: Observed, { version }: ExportOptions): NonNullable<ManifestDocument['api']> {
  return { account: account.email, ...(version === 'v3' ? { version } : {}) };
}

function exportDomain(
  live: ObservedDomain,
  { version, showForward = forwardDocument }: ExportOptions,
): DomainDocument {
  const comments: string[] = [];
  const webhook = version === 'v3' ? (live.webhook ?? undefined) : undefined;
  return {
    comments,
    notification_email: live.notification_email ?? 'none',
    whitelabel: live.whitelabel ?? 'none',
    ...(webhook === undefined ? {} : { webhook }),
    ...Object.fromEntries(
      SECTIONS.filter((section) => live[section] !== undefined).map((section) => [
        section,
        SECTION_DOCUMENTS[section](live, comments, showForward),
      ]),
    ),
  };
}

/** Of a section that was read. */
const SECTION_DOCUMENTS: {
  readonly [S in Section]: (
    live: ObservedDomain,
    comments: string[],
    showForward: ShowForward,
  ) => DomainDocument[S];
} = {
  aliases: ({ aliases = [] }, comments, showForward) => exportAliases(aliases, comments, showForward),
  rules: ({ rules = [] }, comments, showForward) => exportRules(rules, comments, showForward),
  credentials: ({ credentials = [] }, comments) => exportCredentials(credentials, comments),
};

function exportAliases(
  live: readonly ObservedAlias[],
  comments: string[],
  showForward: ShowForward,
): NonNullable<DomainDocument['aliases']> {
  const sorted = distinct(live, 'alias', comments).sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(sorted.map(({ name, forward }) => [name, showForward(forward)]));
}

function exportCredentials(
  live: readonly { readonly name: string }[],
  comments: string[],
): NonNullable<DomainDocument['credentials']> {
  const sorted = distinct(live, 'credential', comments).sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(sorted.map(({ name }) => [name, {}]));
}

/** Several live items of one name cannot be told apart by a manifest: none of them is managed. */
function distinct<T extends { readonly name: string }>(
  live: readonly T[],
  kind: string,
  comments: string[],
): T[] {
  const counts = new Map<string, number>();
  for (const { name } of live) counts.set(nameKey(name), (counts.get(nameKey(name)) ?? 0) + 1);
  return live.filter(({ name }) => {
    if (counts.get(nameKey(name)) === 1) return true;
    comments.push(`${kind} ${quote(name)} is not managed: another one differs only in case or Unicode form`);
    return false;
  });
}

function exportRules(
  live: readonly ObservedRule[],
  comments: string[],
  showForward: ShowForward,
): readonly RuleDocument[] {
  const nameOf = createRuleNamer();
  const sorted = [...live].sort((a, b) => a.rank - b.rank);
  return sorted.flatMap((rule, index) => {
    const name = nameOf(rule.match);
    if (rule.rank !== sorted[index - 1]?.rank) return [ruleDocument(rule, name, showForward)];
    // A list has an order, and to name both would be to decide it.
    comments.push(`rule ${rule.id} (${name}) is not managed: it has the rank of another rule, ${rule.rank}`);
    return [];
  });
}
