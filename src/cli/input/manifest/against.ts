import { changedDomains } from '../../../core/manifest/digest.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { References } from '../../../core/model/destinations.ts';
import { wouldDelete, type ManifestDifference } from '../../../core/plan/would-delete.ts';
import type { Context } from '../../context.ts';
import { readDesired } from './desired.ts';
import { resolveCommit } from './git.ts';
import type { ManifestSettings } from '../../settings/resolve-settings.ts';

/**
 * Returns what the change of the manifest since a revision would delete. A revision without a manifest gives a
 * warning.
 */
export async function compareWith(
  context: Context,
  manifest: ManifestSettings,
  revision: string,
  after: Desired,
): Promise<ManifestDifference> {
  const before = await readRevision(context, manifest, revision);
  return before === null ? { deletes: [], warnings: [uncomparable(revision)] } : wouldDelete(before, after);
}

/**
 * With `--against`, selects the domains whose entries differ from that revision, as `--domain` would. Selects all
 * domains if the revision cannot be read as a manifest.
 */
export async function narrowToChanges(
  context: Context,
  manifest: ManifestSettings,
  revision: string | undefined,
): Promise<Narrowed> {
  if (revision === undefined) return { manifest };
  const [before, { desired: after }] = [
    await readRevision(context, manifest, revision),
    await readDesired(context, manifest, { unnamed: 'refused' }),
  ];
  // A manifest that is invalid now is reported by the next reader.
  if (after === null) return { manifest };
  if (before !== null)
    return {
      manifest: { ...manifest, domains: changedDomains(before, after) },
      concealed: before.references,
    };
  context.stderr.write(`${uncomparable(revision).message}: all domains are planned\n`);
  return { manifest };
}

export interface Narrowed {
  readonly manifest: ManifestSettings;
  /** Values that references have at that revision. */
  readonly concealed?: References;
}

async function readRevision(
  context: Context,
  manifest: ManifestSettings,
  revision: string,
): Promise<Desired | null> {
  const from = { kind: 'commit', commit: await resolveCommit(context, revision) } as const;
  return (await readDesired(context, manifest, { from })).desired;
}

function uncomparable(revision: string): ManifestDifference['warnings'][number] {
  return {
    severity: 'warning',
    code: 'not-comparable',
    message: `at ${revision} there is no valid manifest to compare with`,
    hint: 'name a revision whose manifest is valid',
    source: null,
  };
}
