import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { findReferences } from '../../../core/manifest/load.ts';
import type { Commit } from '../../../core/model/history/entries.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import type { Publication, PublishFault } from '../../../engine/state/postgres/published/revisions.ts';
import type { PublishedManifest } from '../../../engine/state/postgres/published/read-revision.ts';
import { openJobs } from '../../accounts/accounts.ts';
import type { Context } from '../../context.ts';
import { commandFailure, usageError } from '../../exit.ts';
import { readDesired } from '../../input/manifest/desired.ts';
import { whoRuns } from '../../origin.ts';
import { addCounts, invalidManifest, NO_COUNTS, printProblems } from '../../output/problems/problems.ts';
import { agreedAccount, DEFAULT_API_URL } from '../../settings/address.ts';
import type { Settings } from '../../settings/resolve-settings.ts';

export interface ReadPublication extends Publication {
  readonly desired: Desired;
}

/** Its domains, tombstones apart. */
export function presentIn({ domains }: Desired): readonly DomainName[] {
  return [...domains.values()].flatMap(({ domain, state }) => (state === 'present' ? [domain] : []));
}

/** Ends the command if domains are already published for other accounts (5), or if nothing could be stored (1). */
export function refusePublishing(
  context: Context,
  fault: PublishFault,
  desiredOf: (account: string) => Desired | null,
): never {
  if (fault.twice === undefined) throw commandFailure(fault.message, 'check the database');
  const problems = fault.twice.map(({ account, other, domain }): Problem => ({
    severity: 'error',
    code: 'domain-twice',
    message: `the domain ${domain} of ${account} is already published for another account, ${other}`,
    hint: `remove it from ${other} first, or publish both together; publish --remove ${other} ends everything that is published for it`,
    source: desiredOf(account)?.domains.get(domain)?.source ?? null,
  }));
  throw invalidManifest(context, { problems, counts: NO_COUNTS });
}

/** Reads and checks all manifests. If one is invalid, prints the problems of all and ends the command with 5. */
export async function readPublications(
  context: Context,
  settings: Settings,
  commit: Commit | null,
): Promise<readonly ReadPublication[]> {
  const { accounts: directory } = settings.manifest;
  const each =
    directory === null
      ? [settings]
      : (await openJobs(context, settings, directory)).jobs.map((job) => job.settings);
  const who = { commit, ...whoRuns(context) };
  const publications: ReadPublication[] = [];
  const problems: Problem[] = [];
  let counts = NO_COUNTS;
  for (const own of each) {
    const read = await readDesired(context, own.manifest, { references: 'unneeded' });
    const relative = relativeReferences(context, read.texts);
    problems.push(...read.problems, ...relative);
    counts = addCounts(counts, read.counts);
    if (read.desired === null || relative.length > 0) continue;
    const account = agreedAccount(context.given.account, read.desired.api.account);
    if (account === undefined)
      throw usageError(
        'the account of the manifest is unknown',
        'add api.account to it, or give --account EMAIL',
      );
    const apiUrl = settings.api.url?.value ?? read.desired.api.url ?? DEFAULT_API_URL;
    const manifest = { ...who, texts: read.texts.map(asText) };
    publications.push({ account, apiUrl, manifest, domains: presentIn(read.desired), desired: read.desired });
  }
  if (publications.length === each.length) {
    printProblems(context, problems);
    return publications;
  }
  throw invalidManifest(context, { problems, counts });
}

function asText({ file, text }: ManifestText): PublishedManifest['texts'][number] {
  return { file, text: typeof text === 'string' ? text : new TextDecoder().decode(text) };
}

/**
 * Returns a problem for each relative path. A worker has no directory of the manifest, so no path can be relative to
 * it.
 */
function relativeReferences({ cwd }: Context, texts: readonly ManifestText[]): readonly Problem[] {
  const { keys, others } = findReferences(texts, { cwd });
  return [...keys, ...others].flatMap((reference): readonly Problem[] => {
    if (reference.kind !== 'file' || reference.below === null) return [];
    return [
      {
        severity: 'error',
        code: 'reference-refused',
        message: `${reference.shown} is relative, and the manifest is read on other machines once it is published`,
        hint: 'write an absolute path, or use { env: NAME }',
        source: reference.source,
      },
    ];
  });
}
