import { SECTIONS, type Section } from '../../model/kinds.ts';
import {
  forwardDocument,
  ruleDocument,
  type DomainDocument,
  type ForwardDocument,
  type ManifestDocument,
  type RuleDocument,
  type ShowForward,
} from '../../model/manifest-document.ts';
import { escapeInvisible, nameKey, quote, type DomainName } from '../../model/names.ts';
import type { Observed, ObservedAlias, ObservedDomain, ObservedRule } from '../../model/observed.ts';
import { dropFaults, type DomainDraft } from './export-check.ts';
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
  readonly showForward?: (forward: string) => ForwardDocument;
}

/**
 * A live account as a manifest whose plan is empty: every section that was read, with nothing pruned. What the
 * manifest language cannot express is listed in comments with the reason, and so stays unmanaged.
 */
export function exportDocument(observed: Observed, options: ExportOptions): ManifestDocument {
  const drafts = [...observed.domains.values()]
    .filter(({ domain }) => options.domains?.has(domain) ?? true)
    .filter(({ domain }) => !observed.unproven.has(domain))
    .sort((a, b) => (a.domain < b.domain ? -1 : 1))
    .map((domain) => draftDomain(domain, options));
  const { domains, comments } = dropFaults(drafts, options.version);
  const unread = [...observed.unproven].map(
    ([domain, { reason }]) => `${domain} is left out, because it could not be read: ${reason}`,
  );
  const all = [...comments, ...unread].map(escapeInvisible);
  return {
    version: 1,
    ...(all.length === 0 ? {} : { comments: all }),
    ...(options.api === 'left-out' ? {} : { api: apiOf(observed, options) }),
    domains: new Map(domains.map((draft) => [draft.domain, finished(draft, options)])),
  };
}

/** What cannot be named must not be pruned. */
function finished({ document, comments }: DomainDraft, { prune }: ExportOptions): DomainDocument {
  if (prune !== 'stated') return { ...document, comments };
  if (comments.length === 0) return { ...document, comments, prune: true };
  return { ...document, comments: [...comments, '`prune` is left out: it would delete what is not managed'] };
}

function apiOf({ account }: Observed, { version }: ExportOptions): NonNullable<ManifestDocument['api']> {
  return { account: account.email, ...(version === 'v3' ? { version } : {}) };
}

function draftDomain(
  live: ObservedDomain,
  { version, showForward = forwardDocument }: ExportOptions,
): DomainDraft {
  const comments: string[] = [];
  const webhook = version === 'v3' ? (live.webhook ?? undefined) : undefined;
  const document: DomainDocument = {
    notification_email: live.notification_email ?? 'none',
    whitelabel: live.whitelabel ?? 'none',
    ...(webhook === undefined ? {} : { webhook }),
    ...Object.fromEntries(
      SECTIONS.filter((section) => live[section] !== undefined).map((section) => [
        section,
        DRAFTS[section](live, comments, showForward),
      ]),
    ),
  };
  return { domain: live.domain, document, comments };
}

/** Of a section that was read. */
const DRAFTS: {
  readonly [S in Section]: (
    live: ObservedDomain,
    comments: string[],
    showForward: ShowForward,
  ) => DomainDocument[S];
} = {
  aliases: ({ aliases = [] }, comments, showForward) => draftAliases(aliases, comments, showForward),
  rules: ({ rules = [] }, comments, showForward) => draftRules(rules, comments, showForward),
  credentials: ({ credentials = [] }, comments) => draftCredentials(credentials, comments),
};

function draftAliases(
  live: readonly ObservedAlias[],
  comments: string[],
  showForward: ShowForward,
): NonNullable<DomainDocument['aliases']> {
  const sorted = distinct(live, 'alias', comments).sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(sorted.map(({ name, forward }) => [name, showForward(forward)]));
}

function draftCredentials(
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

function draftRules(
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
