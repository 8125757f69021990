import * as fs from 'node:fs/promises';
import { writeSnapshot } from '../../../manifest/write/write-snapshot.ts';
import type { DaemonEvent } from '../../../model/daemon.ts';
import { createAccountLoop, type AccountLoop } from '../../../reconcile/daemon/account-loop.ts';
import { exclusiveSource, type Ownership } from '../../../reconcile/ownership.ts';
import { POLL_MS, type AccountEntry } from '../../../reconcile/daemon/daemon.ts';
import { keepDomains } from '../../../reconcile/changed.ts';
import { createManifestSource, type ManifestSource } from '../../../reconcile/daemon/manifest-source.ts';
import { requireDomain } from '../../input/arguments.ts';
import { requestEvent } from '../../output/command-log.ts';
import type { Context } from '../../context.ts';
import { loadOptions } from '../../input/load-options.ts';
import { createAccess } from './run-access.ts';
import { referenceValue, referenceReader } from '../../input/references.ts';
import { resolveStateDirectory, type CommonOptions } from '../../settings.ts';

export interface AccountRunOptions {
  readonly common: CommonOptions;
  readonly mode: 'apply' | 'observe';
  readonly intervalMs: number;
  /** Whether there are many accounts: then each has to name its own, with its own key. */
  readonly accounts: 'one' | 'many';
}

export interface AccountRunPorts {
  readonly ownership: Ownership;
  readonly emit: (event: DaemonEvent) => void;
  /** A value came up that must not be seen. */
  readonly onSecret: (value: string) => void;
}

/** The loop of one account with all that it needs of this machine. Its connections end with the process. */
export function openAccountLoop(
  context: Context,
  entry: AccountEntry,
  options: AccountRunOptions,
  { ownership, emit, onSecret }: AccountRunPorts,
): AccountLoop {
  const { clock, random, signal } = context;
  const { name } = entry;
  const source = narrowed(openSource(context, entry, options), options.common.domain);
  return createAccountLoop(
    { name, mode: options.mode, intervalMs: options.intervalMs, pollMs: POLL_MS },
    {
      clock,
      random,
      signal,
      writeSnapshot,
      async resolvePassword(reference) {
        const password = await referenceValue(context, reference);
        if (typeof password === 'string') onSecret(password);
        return password;
      },
      emit,
      source: options.accounts === 'many' ? exclusiveSource(name, source, ownership) : source,
      access: createAccess(context, options, {
        onSecret,
        onRequest: (event) => emit(requestEvent(name, event)),
      }),
    },
  );
}

function openSource(
  context: Context,
  entry: AccountEntry,
  { common, accounts }: AccountRunOptions,
): ManifestSource {
  return createManifestSource({
    paths: entry.paths,
    fs,
    stdin: context.stdin,
    cwd: context.cwd,
    leaveOut: resolveStateDirectory(common, context),
    clock: context.clock,
    load: loadOptions(context, common, { references: 'required', accounts }),
    readReferences: referenceReader(context),
  });
}

/** The part of a manifest that `--domain` is about; one that the manifest does not name makes it invalid. */
function narrowed(source: ManifestSource, names: readonly string[] | undefined): ManifestSource {
  if (names === undefined) return source;
  const wanted = new Set(names.map((name) => requireDomain(name, '--domain')));
  return {
    async read() {
      const read = await source.read();
      if (read?.kind !== 'good') return read;
      const missing = [...wanted].filter((name) => !read.desired.domains.has(name));
      if (missing.length === 0)
        return { ...read, desired: keepDomains(read.desired, (name) => wanted.has(name)) };
      return {
        kind: 'bad',
        message: `the manifest does not name ${missing.join(', ')} of --domain`,
        problems: [],
      };
    },
  };
}
