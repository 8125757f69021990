import * as fs from 'node:fs/promises';
import type { Desired } from '../model/desired.ts';
import { parseDomainName, type DomainName } from '../model/names.ts';
import type { Problem } from '../model/problem.ts';
import { loadManifest } from '../manifest/load.ts';
import { readManifests } from '../manifest/read.ts';
import type { Context } from './context.ts';
import { CommandError, EXIT } from './exit.ts';
import { renderProblems, type ManifestCounts } from './problems.ts';
import {
  DEFAULT_API_URL,
  explicitVersion,
  manifestPaths,
  namedUrl,
  readReference,
  type CommonOptions,
} from './settings.ts';
import { styleFor } from './style.ts';

export interface ReadOptions {
  /** Whether a reference that is not set is an error or a warning. */
  readonly references: 'required' | 'optional';
  /** `printed`: in text, to standard error. */
  readonly problems: 'printed' | 'silent';
}

export interface ReadDesired {
  /** Null when the manifest has an error. */
  readonly desired: Desired | null;
  readonly problems: readonly Problem[];
  readonly counts: ManifestCounts;
}

/** Reads the manifests that the options name, and keeps the domains of `--domain`. */
export async function readDesired(
  context: Context,
  options: CommonOptions,
  how: ReadOptions,
): Promise<ReadDesired> {
  const texts = await readManifests(manifestPaths(options, context), {
    fs,
    stdin: context.stdin,
    cwd: context.cwd,
  });
  if (!texts.ok) throw new CommandError(EXIT.failed, texts.error.message, texts.error.hint);
  const named = namedUrl(options, context);
  const loaded = loadManifest(texts.value, {
    references: how.references,
    resolve: (reference) => readReference(reference, context),
    apiVersion: explicitVersion(options, context),
    namedUrl: named ?? DEFAULT_API_URL,
    cwd: context.cwd,
  });
  if (how.problems === 'printed') {
    context.stderr.write(
      renderProblems(loaded.problems, styleFor(context.stderr, options.color, context.env)),
    );
  }
  const desired = loaded.desired === null ? null : keepDomains(loaded.desired, options.domain ?? []);
  return { desired, problems: loaded.problems, counts: loaded.counts };
}

/** The same for commands that cannot go on without one: an invalid manifest ends them with 5. */
export async function requireDesired(context: Context, options: CommonOptions): Promise<Desired> {
  const { desired, problems } = await readDesired(context, options, {
    references: 'required',
    problems: 'printed',
  });
  if (desired !== null) return desired;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  throw new CommandError(
    EXIT.invalid,
    `the manifest is invalid (${errors} of the above)`,
    'mend it; nothing was requested',
  );
}

function keepDomains(desired: Desired, names: readonly string[]): Desired {
  if (names.length === 0) return desired;
  const wanted = new Set(names.map((name) => requireNamed(desired, name)));
  return { ...desired, domains: new Map([...desired.domains].filter(([domain]) => wanted.has(domain))) };
}

function requireNamed(desired: Desired, name: string): DomainName {
  const parsed = parseDomainName(name);
  if (parsed.ok && desired.domains.has(parsed.value)) return parsed.value;
  throw new CommandError(EXIT.usage, `--domain ${name}: the manifest does not name it`, 'check the spelling');
}
