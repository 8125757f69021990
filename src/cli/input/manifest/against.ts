import { changedDomains } from '../../../core/manifest/digest.ts';
import type { Desired } from '../../../core/model/desired.ts';
import { wouldDelete, type ManifestDifference } from '../../../core/plan/would-delete.ts';
import type { Context } from '../../context.ts';
import { readDesired } from './desired.ts';
import { resolveCommit } from './git.ts';
import type { PlanFlags } from '../plan-options.ts';
import type { CommonOptions } from '../../settings.ts';

/** What a change of the manifest since a revision would delete; a revision that is no manifest is a warning. */
export async function compareWith(
  context: Context,
  options: CommonOptions,
  revision: string,
  after: Desired,
): Promise<ManifestDifference> {
  const before = await readRevision(context, options, revision);
  return before === null ? { deletes: [], warnings: [uncomparable(revision)] } : wouldDelete(before, after);
}

/**
 * With `--against`, the domains for which the manifest asks for something else than at that revision, as `--domain`
 * would name them; all of them where that revision cannot be read as a manifest.
 */
export async function narrowToChanges<Flags extends PlanFlags>(
  context: Context,
  flags: Flags,
): Promise<Flags> {
  if (flags.against === undefined) return flags;
  const [before, { desired: after }] = [
    await readRevision(context, flags, flags.against),
    await readDesired(context, flags, { unnamed: 'refused' }),
  ];
  // A manifest that is invalid now is reported by whoever reads it next.
  if (after === null) return flags;
  if (before !== null)
    return { ...flags, domain: changedDomains(before, after), concealed: before.references };
  context.stderr.write(`${uncomparable(flags.against).message}: all domains are planned\n`);
  return flags;
}

async function readRevision(
  context: Context,
  options: CommonOptions,
  revision: string,
): Promise<Desired | null> {
  const from = { kind: 'commit', commit: await resolveCommit(context, revision) } as const;
  return (await readDesired(context, options, { from })).desired;
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
