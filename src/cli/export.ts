import { join } from 'node:path';
import { observe } from '../api/observe.ts';
import { referenceFinder } from '../apply/snapshot-forwards.ts';
import { exportDocument, type ExportOptions as DocumentOptions } from '../manifest/export.ts';
import { writeManifest } from '../manifest/write.ts';
import type { DesiredApi } from '../model/desired.ts';
import type { ManifestDocument } from '../model/manifest-document.ts';
import type { Observed } from '../model/observed.ts';
import { requireDomain } from './arguments.ts';
import { answerOf, assertAccount, connect } from './connect.ts';
import type { Context } from './context.ts';
import { ownApi } from './desired.ts';
import { discloseManifest } from './disclose.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';
import { createProgress, NO_PROGRESS } from './progress.ts';
import { makeDirectory, saveText } from './save.ts';
import { resolveConnection, wantsMask, type CommonOptions } from './settings.ts';
import { updateCommand } from './update.ts';

export interface ExportOptions extends CommonOptions {
  readonly out?: string;
  readonly outDir?: string;
  readonly update?: string;
}

/** Writes a manifest of the live account whose plan is empty; to standard output, a file, or one file a domain. */
export async function exportCommand(context: Context, options: ExportOptions): Promise<ExitCode> {
  assertExportable(context, options);
  if (options.update !== undefined) return updateCommand(context, options, options.update);
  const api = await ownApi(context, options);
  const connection = await resolveConnection(options, api, context);
  const client = connect(context, connection, 'read-only');
  try {
    if (context.ofAccount !== undefined) await assertAccount(client, connection);
    const progress = context.ofAccount === undefined ? createProgress(context) : NO_PROGRESS;
    const read = await observe(client, {
      desired: 'everything',
      domains: options.domain?.map((name) => requireDomain(name, '--domain')),
      clock: context.clock,
      onProgress: (done, total) => progress.update('reading domains', done, total),
    });
    progress.stop();
    const observed = answerOf(read);
    const { references } = await discloseManifest(context, options);
    const showForward = referenceFinder(references);
    await write(context, options, observed, { version: client.version, showForward, ownApi: api });
    for (const [domain, { reason }] of observed.unproven) {
      context.stderr.write(`${domain} is left out, for it could not be read: ${reason}\n`);
    }
    return observed.unproven.size > 0 ? EXIT.failed : EXIT.done;
  } finally {
    await client.close();
  }
}

function assertExportable(context: Context, options: ExportOptions): void {
  if (wantsMask(options, context)) {
    throw new CommandError(
      EXIT.usage,
      '--mask cannot be used with export: a masked destination is not a destination',
      'leave --mask out, and unset FWDSYNC_MASK',
    );
  }
  if ([options.out, options.outDir, options.update].filter((place) => place !== undefined).length > 1) {
    throw new CommandError(
      EXIT.usage,
      '--out, --out-dir and --update exclude each other',
      'give one of them',
    );
  }
  if (context.ofAccount !== undefined && options.outDir === undefined) {
    throw new CommandError(
      EXIT.usage,
      'with --accounts, export writes one directory per account',
      'name the directory for all of them with --out-dir',
    );
  }
}

async function write(
  context: Context,
  options: ExportOptions,
  observed: Observed,
  { ownApi: api, ...how }: Pick<DocumentOptions, 'version' | 'showForward'> & { readonly ownApi: DesiredApi },
): Promise<void> {
  if (options.outDir !== undefined) {
    const { ofAccount } = context;
    const directory = ofAccount === undefined ? options.outDir : join(options.outDir, ofAccount.name);
    await makeDirectory(context, directory);
    if (ofAccount !== undefined)
      await saveText(context, join(directory, ACCOUNT_FILE), writeManifest(accountPart(api)));
    for (const domain of observed.domains.keys()) {
      if (observed.unproven.has(domain)) continue;
      const document = exportDocument(observed, { ...how, domains: new Set([domain]), api: 'left-out' });
      await saveText(context, join(directory, `${domain}.yaml`), writeManifest(document));
    }
    return;
  }
  const text = writeManifest(exportDocument(observed, { ...how, api: 'stated' }));
  if (options.out === undefined) context.stdout.write(text);
  else await saveText(context, options.out, text);
}

/** No domain has this name: theirs have a dot. */
const ACCOUNT_FILE = 'account.yaml';

/** What each of many accounts has to state, so that the directory can be used with `--accounts` as it is. */
function accountPart({ account, version, url, key }: DesiredApi): ManifestDocument {
  const api = {
    ...(account === undefined ? {} : { account }),
    ...(version === undefined ? {} : { version }),
    ...(url === undefined ? {} : { url }),
    ...(key === undefined ? {} : { key: key.kind === 'env' ? { env: key.name } : { file: key.path } }),
  };
  return { version: 1, api, domains: new Map() };
}
