import { join } from 'node:path';
import { observe } from '../api/observe.ts';
import { referenceFinder } from '../apply/snapshot-forwards.ts';
import { exportDocument, type ExportOptions as DocumentOptions } from '../manifest/export.ts';
import { writeManifest } from '../manifest/write.ts';
import type { Observed } from '../model/observed.ts';
import { requireDomain } from './arguments.ts';
import { answerOf, connect } from './connect.ts';
import type { Context } from './context.ts';
import { discloseManifest } from './disclose.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';
import { createProgress } from './progress.ts';
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
  if (options.update !== undefined) return updateCommand(context, options, options.update);
  const client = connect(context, await resolveConnection(options, {}, context), 'read-only');
  try {
    const progress = createProgress(context);
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
    await write(context, options, observed, { version: client.version, showForward });
    for (const [domain, { reason }] of observed.unproven) {
      context.stderr.write(`${domain} is left out, for it could not be read: ${reason}\n`);
    }
    return observed.unproven.size > 0 ? EXIT.failed : EXIT.done;
  } finally {
    await client.close();
  }
}

async function write(
  context: Context,
  options: ExportOptions,
  observed: Observed,
  how: Pick<DocumentOptions, 'version' | 'showForward'>,
): Promise<void> {
  if (options.outDir !== undefined) {
    await makeDirectory(context, options.outDir);
    for (const domain of observed.domains.keys()) {
      if (observed.unproven.has(domain)) continue;
      const document = exportDocument(observed, { ...how, domains: new Set([domain]), api: 'left-out' });
      await saveText(context, join(options.outDir, `${domain}.yaml`), writeManifest(document));
    }
    return;
  }
  const text = writeManifest(exportDocument(observed, { ...how, api: 'stated' }));
  if (options.out === undefined) context.stdout.write(text);
  else await saveText(context, options.out, text);
}
