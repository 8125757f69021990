import type { Client } from '../../../client/client.ts';
import { observe } from '../../../client/observe.ts';
import { didYouMean } from '../../../core/manifest/read/suggest.ts';
import { referenceFinder } from '../../../core/manifest/write/reference-finder.ts';
import type { DesiredApi } from '../../../core/model/desired.ts';
import { escapeInvisible } from '../../../core/model/names.ts';
import type { Observed } from '../../../core/model/observed.ts';
import { requireDomain } from '../../input/arguments.ts';
import { answerOf, assertAccount, assertAccountOf, connectShown, readFailure } from '../../input/connect.ts';
import type { Context } from '../../context.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import { ownApi } from '../../input/manifest/desired.ts';
import { discloseManifest } from '../../output/disclose.ts';
import { EXIT, usageError } from '../../exit.ts';
import { keepBaseline } from './keep-baseline.ts';
import { assertFree, writeExport, type ExportTarget } from './export-files.ts';
import { requestsHeadway } from '../../output/progress/headway.ts';
import { resolveConnection } from '../../settings/connection.ts';
import type { Settings } from '../../settings/resolve-settings.ts';
import { updateManifestFile } from './update-manifest.ts';

export interface ExportFlags extends ExportTarget {
  readonly update?: string;
  readonly prune?: true;
}

/** Writes a manifest of the live account whose plan is empty; to standard output, a file, or one file per domain. */
export async function exportCommand(
  context: Context,
  { settings, options }: CommandCall<ExportFlags>,
): Promise<CommandResult> {
  assertUsable(context, options);
  if (options.update !== undefined) return updateManifestFile(context, settings, options.update);
  if (options.out !== undefined && options.force !== true) assertFree(context, [options.out]);
  return exportAccount(context, settings, options, await ownApi(context, settings.manifest));
}

/** Exports the account that `api`, flags and variables name. A key that `api` refers to is written as that reference. */
export async function exportAccount(
  context: Context,
  settings: Settings,
  options: ExportFlags,
  api: DesiredApi,
): Promise<CommandResult> {
  const { manifest } = settings;
  const { disclosure } = await discloseManifest(context, manifest);
  const connection = await resolveConnection(context, settings, api);
  const { client, progress } = connectShown(context, connection, 'read-only');
  try {
    if (context.member !== undefined) await assertAccount(client, connection);
    progress.follow(requestsHeadway(context, client, { label: 'reading' }));
    const observed = await read(context, manifest.domains, client);
    progress.stop();
    assertAccountOf(observed.account, connection);
    const prune = options.prune === true ? 'stated' : 'left-out';
    const how = {
      version: client.version,
      showForward: referenceFinder(disclosure.references),
      prune,
    } as const;
    const written = await writeExport(context, options, observed, { how, api });
    if (written !== null) {
      context.stderr.write(`${written.said}\n`);
      await keepBaseline(context, settings, { texts: written.texts, observed, client, connection });
    }
    for (const [domain, { reason }] of observed.unproven) {
      context.stderr.write(
        `${escapeInvisible(domain)} is left out because it could not be read: ${escapeInvisible(reason)}\n`,
      );
    }
    return { exit: observed.unproven.size > 0 ? EXIT.failed : EXIT.done };
  } finally {
    progress.stop();
    await client.close();
  }
}

function assertUsable(context: Context, options: ExportFlags): void {
  const { out, outDir, update } = options;
  if (context.mask !== false)
    throw usageError(
      '--mask cannot be used with export: a masked destination is not a destination',
      'leave --mask out, and unset FWDSYNC_MASK',
    );
  const places = [out, outDir, update].filter((place) => place !== undefined);
  if (places.length > 1)
    throw usageError('--out, --out-dir and --update cannot be used together', 'give one of them');
  if (context.member !== undefined && outDir === undefined)
    throw usageError(
      'with --accounts, export writes one directory per account',
      'name the directory for all of them with --out-dir',
    );
  assertUsed(context, options);
}

function assertUsed({ given }: Context, { out, outDir, update, force, prune, groups }: ExportFlags): void {
  const makesFiles = out !== undefined || outDir !== undefined;
  const needless = {
    '--force': force === true && !makesFiles,
    '--prune': prune === true && update !== undefined,
    '--groups': groups === true && update !== undefined,
    '--state-dir': given.stateDir !== undefined && !makesFiles && update === undefined,
  };
  for (const [flag, isNeedless] of Object.entries(needless))
    if (isNeedless) throw usageError(`${flag} has no effect here`, 'leave it out');
}

async function read(context: Context, names: readonly string[] | null, client: Client): Promise<Observed> {
  const domains = names?.map((name) => requireDomain(name, '--domain'));
  const answer = await observe(client, { desired: 'everything', domains, clock: context.clock });
  if (!answer.ok) throw readFailure(answer.error, client);
  const observed = answer.value;
  const missing = domains?.find((name) => !observed.domains.has(name) && !observed.unproven.has(name));
  if (missing === undefined) return observed;
  const all = answerOf(await client.listDomains()).map((live) => live.domain);
  throw usageError(
    `--domain ${missing}: the account ${escapeInvisible(observed.account.email)} does not have it`,
    escapeInvisible(didYouMean(missing, all, 'check the spelling, and the account')),
  );
}
