import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { findReferences } from '../../../core/manifest/load.ts';
import type { Commit } from '../../../core/model/history/entries.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import type { Publication, PublishedManifest, PublishFault } from '../../../engine/state/postgres/revisions.ts';
import { openJobs } from '../../accounts/accounts.ts';
import type { Context } from '../../context.ts';
import { commandFailure, usageError } from '../../exit.ts';
import { invalidManifest, readDesired } from '../../input/manifest/desired.ts';
import { whoRuns } from '../../origin.ts';
import { NO_COUNTS, addCounts, printInvalid, printProblems } from '../../output/problems/problems.ts';
import { agreedAccount, DEFAULT_API_URL, namedUrl, type CommonOptions } from '../../settings.ts';

export interface PublicationSource {
  /** Of many accounts; null: there is one. */
  readonly directory: string | null;
  readonly commit: Commit | null;
}

export interface ReadPublication extends Publication {
  readonly desired: Desired;
}

/** Its domains, tombstones apart. */
export function presentIn({ domains }: Desired): readonly DomainName[] {
  return [...domains.values()].flatMap(({ domain, state }) => (state === 'present' ? [domain] : []));
}

/** Ends the command where domains are published for other accounts already (5), and where nothing could be stored (1). */
export function refusePublishing(
  context: Context,
  options: CommonOptions,
  fault: PublishFault,
  desiredOf: (account: string) => Desired | null,
): never {
  if (fault.twice === undefined) throw commandFailure(fault.message, 'check the database');
  const problems = fault.twice.map(({ account, other, domain }): Problem => ({
    severity: 'error',
    code: 'domain-twice',
    message: `the domain ${domain} of ${account} is published for another account, ${other}, already`,
    hint: `take it out of ${other} first, or publish both together; publish --remove ${other} ends all that is published for it`,
    source: desiredOf(account)?.domains.get(domain)?.source ?? null,
  }));
  printInvalid(context, options, { problems, counts: NO_COUNTS });
  throw invalidManifest(problems);
}

/** Reads and checks all manifests; where one is invalid the command ends with 5, and the problems of all are printed. */
export async function readPublications(
  context: Context,
  options: CommonOptions,
  { directory, commit }: PublicationSource,
): Promise<readonly ReadPublication[]> {
  const each =
    directory === null
      ? [options]
      : (await openJobs(context, options, directory)).jobs.map((job) => job.options);
  const who = { commit, ...whoRuns(context) };
  const publications: ReadPublication[] = [];
  const problems: Problem[] = [];
  let counts = NO_COUNTS;
  for (const own of each) {
    const read = await readDesired(context, own, { references: 'unneeded' });
    const relative = relativeReferences(context, read.texts);
    problems.push(...read.problems, ...relative);
    counts = addCounts(counts, read.counts);
    if (read.desired === null || relative.length > 0) continue;
    const account = agreedAccount(options.account, read.desired.api.account);
    if (account === undefined)
      throw usageError('nothing says whose manifest it is', 'add api.account to it, or give --account EMAIL');
    const apiUrl = namedUrl(options, context) ?? read.desired.api.url ?? DEFAULT_API_URL;
    const manifest = { ...who, texts: read.texts.map(asText) };
    publications.push({ account, apiUrl, manifest, domains: presentIn(read.desired), desired: read.desired });
  }
  if (publications.length === each.length) {
    printProblems(context, options, problems);
    return publications;
  }
  printInvalid(context, options, { problems, counts });
  throw invalidManifest(problems);
}

function asText({ file, text }: ManifestText): PublishedManifest['texts'][number] {
  return { file, text: typeof text === 'string' ? text : new TextDecoder().decode(text) };
}

/** A worker has no directory of the manifest to which a path could be relative. */
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
