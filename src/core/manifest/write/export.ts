import type { Fields } from '../../fields/fields.ts';
import { SECTIONS } from '../../kinds/registry.ts';
import {
  forwardDocument,
  type DomainDocument,
  type ManifestDocument,
  type ShowForward,
} from '../../model/manifest/manifest-document.ts';
import type { DomainName } from '../../model/names.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import { dropRefused } from './drop-refused.ts';
import { exportSection } from '../sections/sections.ts';
import { settingsSentBy } from '../../kinds/domain/fields.ts';

export interface ExportOptions {
  /** The generation of the API that was read. Only v3 can state a webhook. */
  readonly version: 'v4' | 'v3';
  /** The domains to export; by default all that were read. */
  readonly domains?: ReadonlySet<DomainName>;
  /** `stated` if the document states the account and version; with one file per domain, one of them does. */
  readonly api: 'stated' | 'left-out';
  /** `stated` adds `prune` to the domains that the manifest can express completely. */
  readonly prune?: 'stated' | 'left-out';
  /** Converts destinations; by default without references. */
  readonly showForward?: ShowForward;
}

/**
 * Converts a live account into a manifest whose plan is empty: every section that was read, with nothing pruned. Items
 * that the manifest language cannot express are listed in comments with the reason, and stay unmanaged.
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

/** Adds `prune` to a domain, unless the manifest cannot express every live item. */
function pruned(domain: DomainDocument): DomainDocument {
  const { comments = [] } = domain;
  if (comments.length === 0) return { ...domain, prune: true };
  return { ...domain, comments: [...comments, '`prune` is left out: it would delete unmanaged items'] };
}

function apiOf({ account }: Observed, { version }: ExportOptions): NonNullable<ManifestDocument['api']> {
  return { account: account.email, ...(version === 'v3' ? { version } : {}) };
}

function exportDomain(
  live: ObservedDomain,
  { version, showForward = forwardDocument }: ExportOptions,
): DomainDocument {
  const comments: string[] = [];
  const values: Fields = { ...live };
  // A setting that only the other generation has is named if it has a value.
  const settings = Object.entries(settingsSentBy('update', version)).filter(
    ([name, { only }]) => only === undefined || Boolean(values[name]),
  );
  return {
    comments,
    ...Object.fromEntries(
      settings.map(([name, { codec }]) => [name, codec.write(values[name], showForward)]),
    ),
    ...Object.fromEntries(
      SECTIONS.filter((section) => live[section] !== undefined).map((section) => [
        section,
        exportSection(section, live, comments, showForward),
      ]),
    ),
  };
}
