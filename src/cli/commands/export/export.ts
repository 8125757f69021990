import type { Client } from '../../../client/client.ts';
import { observe } from '../../../client/observe.ts';
import { didYouMean } from '../../../core/manifest/read/suggest.ts';
import { referenceFinder } from '../../../core/manifest/write/reference-finder.ts';
import { escapeInvisible } from '../../../core/model/names.ts';
import type { Observed } from '../../../core/model/observed.ts';
import { requireDomain } from '../../input/arguments.ts';
import { answerOf, assertAccount, connectShown, readFailure } from '../../input/connect.ts';
import type { Context } from '../../context.ts';
import { ownApi } from '../../input/manifest/desired.ts';
import { discloseManifest } from '../../output/disclose.ts';
import { CommandError, EXIT, type ExitCode } from '../../exit.ts';
import { keepBaseline } from './baseline.ts';
import { assertFree, writeExport, type ExportTarget } from './export-files.ts';
import { requestsHeadway } from '../../output/progress/headway.ts';
import { resolveConnection, wantsMask, type CommonOptions } from '../../settings.ts';
import { updateCommand } from '../update.ts';

export interface ExportFlags extends CommonOptions, ExportTarget {
  readonly update?: string;
  readonly prune?: true;
}

/** Writes a manifest of the live account whose plan is empty; to standard output, a file, or one file per domain. */
export async function exportCommand(context: Context, options: ExportFlags): Promise<ExitCode> {
  assertUsable(context, options);
  if (options.update !== undefined) return updateCommand(context, options, options.update);
  if (options.out !== undefined && options.force !== true) assertFree(context, [options.out]);
  const api = await ownApi(context, options);
  const { disclosure } = await discloseManifest(context, options);
  const connection = await resolveConnection(options, api, context);
  const { client, progress } = connectShown(context, connection, 'read-only');
  try {
    if (context.ofAccount !== undefined) await assertAccount(client, connection);
    progress.follow(requestsHeadway(context, client, { label: 'reading' }));
    const observed = await read(context, options, client);
    progress.stop();
    const prune = options.prune === true ? 'stated' : 'left-out';
    const how = {
      version: client.version,
      showForward: referenceFinder(disclosure.references),
      prune,
    } as const;
    const written = await writeExport(context, options, observed, { how, api });
    if (written !== null) {
      context.stderr.write(`${written.said}\n`);
      await keepBaseline(context, options, { texts: written.texts, observed, client, connection });
    }
    for (const [domain, { reason }] of observed.unproven) {
      context.stderr.write(
        `${escapeInvisible(domain)} is left out because it could not be read: ${escapeInvisible(reason)}\n`,
      );
    }
    return observed.unproven.size > 0 ? EXIT.failed : EXIT.done;
  } finally {
    progress.stop();
    await client.close();
  }
}

function assertUsable(context: Context, options: ExportFlags): void {
  const { out, outDir, update } = options;
  if (wantsMask(options, context)) {
    throw new CommandError(
      EXIT.usage,
      '--mask cannot be used with export: a masked destination is not a destination',
      'leave --mask out, and unset FWDSYNC_MASK',
    );
  }
  const places = [out, outDir, update].filter((place) => place !== undefined);
  if (places.length > 1) {
    const what = '--out, --out-dir and --update cannot be used together';
    throw new CommandError(EXIT.usage, what, 'give one of them');
  }
  if (context.ofAccount !== undefined && outDir === undefined) {
    throw new CommandError(
      EXIT.usage,
      'with --accounts, export writes one directory per account',
      'name the directory for all of them with --out-dir',
    );
  }
  const [needless] = needlessOptions(options);
  if (needless === undefined) return;
  throw new CommandError(EXIT.usage, `${needless} has no effect here`, 'leave it out');
}

function needlessOptions({ out, outDir, update, force, prune, stateDir }: ExportFlags): readonly string[] {
  const places = [out, outDir, update].filter((place) => place !== undefined);
  return [
    ...(force === true && out === undefined && outDir === undefined ? ['--force'] : []),
    ...(prune === true && update !== undefined ? ['--prune'] : []),
    ...(stateDir !== undefined && places.length === 0 ? ['--state-dir'] : []),
  ];
}

async function read(context: Context, { domain }: ExportFlags, client: Client): Promise<Observed> {
  const domains = domain?.map((name) => requireDomain(name, '--domain'));
  const answer = await observe(client, { desired: 'everything', domains, clock: context.clock });
  if (!answer.ok) throw readFailure(answer.error, client);
  const observed = answer.value;
  const missing = domains?.find((name) => !observed.domains.has(name) && !observed.unproven.has(name));
  if (missing === undefined) return observed;
  const all = answerOf(await client.listDomains()).map((live) => live.domain);
  throw new CommandError(
    EXIT.usage,
    `--domain ${missing}: the account ${escapeInvisible(observed.account.email)} does not have it`,
    escapeInvisible(didYouMean(missing, all, 'check the spelling, and the account')),
  );
}
