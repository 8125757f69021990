import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { Commit } from '../../../core/model/history/entries.ts';
import { escapeInvisible, plural, type DomainName } from '../../../core/model/names.ts';
import { changedSince, digestDomains, type DomainDigests } from '../../../engine/domain-digests.ts';
import type { Context } from '../../context.ts';
import { readDesired } from '../../input/manifest/desired.ts';
import type { ManifestSettings } from '../../settings/resolve-settings.ts';

/** `fwdsync/publish@1`. */
export interface PublishDocument {
  readonly kind: 'fwdsync/publish@1';
  readonly accounts: readonly {
    readonly account: string;
    /** null means that the published manifest was removed. */
    readonly revision: number | null;
    readonly changed: boolean;
    /** null if nothing changed, or if it was removed. */
    readonly domains: ChangedDomains | null;
  }[];
  /** Accounts published earlier and not named now. They stay as they are. */
  readonly others: readonly { readonly account: string; readonly revision: number }[];
  readonly commit: Commit | null;
}

/** Domains by the change of their desired state. */
interface ChangedDomains {
  readonly added: readonly DomainName[];
  readonly changed: readonly DomainName[];
  /** Domains that are no longer named. They are not deleted. */
  readonly removed: readonly DomainName[];
}

/**
 * Compares a new revision with the one before. If the previous revision cannot be read any more, all domains count as
 * added.
 */
export async function compareDomains(
  context: Context,
  manifest: ManifestSettings,
  {
    before,
    texts,
  }: { readonly before: readonly ManifestText[] | null; readonly texts: readonly ManifestText[] },
): Promise<ChangedDomains> {
  const [old, current] = [await digests(context, manifest, before), await digests(context, manifest, texts)];
  const different = changedSince(old, current);
  return {
    added: different.filter((name) => !old.has(name)),
    changed: different.filter((name) => old.has(name)),
    removed: [...old.keys()].filter((name) => !current.has(name)),
  };
}

async function digests(
  context: Context,
  manifest: ManifestSettings,
  texts: readonly ManifestText[] | null,
): Promise<DomainDigests> {
  if (texts === null) return new Map();
  const how = { references: 'unneeded', from: { kind: 'texts', texts } } as const;
  const { desired } = await readDesired(context, manifest, how);
  return desired === null ? new Map() : digestDomains(desired);
}

export function publishText({ accounts, others }: PublishDocument): string {
  const lines = accounts.map((entry) => `${escapeInvisible(entry.account)}: ${stateOf(entry)}`);
  const left = others.map(
    ({ account, revision }) => `${escapeInvisible(account)}: not named, stays at revision ${revision}`,
  );
  return `${[...lines, ...left].join('\n')}\n`;
}

const NAMES_SHOWN = 5;

function stateOf({ revision, changed, domains }: PublishDocument['accounts'][number]): string {
  if (revision === null) return 'removed; nothing is deleted';
  if (!changed) return `no changes, revision ${revision}`;
  const parts = (['added', 'changed', 'removed'] as const).flatMap((kind) => {
    const names = domains?.[kind] ?? [];
    if (names.length === 0) return [];
    const more = names.length > NAMES_SHOWN ? ', …' : '';
    return [`${plural(names.length, 'domain')} ${kind} (${names.slice(0, NAMES_SHOWN).join(', ')}${more})`];
  });
  return `published as revision ${revision}: ${parts.join(', ') || 'no domain changed'}`;
}
