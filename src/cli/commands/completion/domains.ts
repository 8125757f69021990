import * as fs from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { domainNames } from '../../../core/manifest/domain-names.ts';
import { listAccounts, readManifests, type ReadPorts } from '../../../core/manifest/read/read.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { Context } from '../../context.ts';
import {
  accountsDirectory,
  manifestPaths,
  resolveStateDirectory,
  type CommonOptions,
} from '../../settings.ts';

/**
 * The domains of the manifests that a command line names or takes by default, whose words these are: nothing but letters,
 * digits, hyphens and dots. Somebody is in the middle of typing it, so that what cannot be read is no error, and standard
 * input is theirs.
 */
export async function listDomains(context: Context, words: readonly string[]): Promise<readonly string[]> {
  return domainNames(await readNamed(context, words).catch(() => []));
}

async function readNamed(context: Context, words: readonly string[]): Promise<readonly ManifestText[]> {
  const options = optionsIn(words, context);
  const { cwd, stdin } = context;
  const ports = { fs, stdin, cwd, leaveOut: resolveStateDirectory(options, context) };
  const directory = accountsDirectory(options, context);
  const paths = directory === null ? manifestPaths(options, context) : await listPaths(directory, ports);
  const read = await Promise.all(
    paths.filter((path) => path !== '-').map((path) => readManifests([path], ports)),
  );
  return read.flatMap((texts) => (texts.ok ? texts.value : []));
}

async function listPaths(directory: string, ports: ReadPorts): Promise<readonly string[]> {
  const listed = await listAccounts(directory, ports);
  return listed.ok ? listed.value : [];
}

/** What says where manifests are, in words as they were typed: `=` may be a word of its own. */
function optionsIn(words: readonly string[], { env }: Context): CommonOptions {
  const { values } = parseArgs({
    args: words.filter((word) => word !== '=').map((word) => unquoted(word, env['HOME'] ?? '~')),
    options: {
      file: { type: 'string', short: 'f', multiple: true },
      accounts: { type: 'string' },
      'state-dir': { type: 'string' },
    },
    strict: false,
  });
  const [accounts, stateDir] = [values.accounts, values['state-dir']].map(textIn);
  const file = (values.file ?? []).flatMap((path) => textIn(path) ?? []);
  return {
    ...(file.length === 0 ? {} : { file }),
    ...(accounts === undefined ? {} : { accounts }),
    ...(stateDir === undefined ? {} : { stateDir }),
  };
}

/** As a shell takes a path with quotes or a tilde; nothing else is expanded, because that may run a command. */
function unquoted(word: string, home: string): string {
  return word.replaceAll(/["'\\]/g, '').replace(/^~(?=\/|$)/, () => home);
}

/** An option without its value is `true`. */
function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
