import * as fs from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { destinationNames } from '../../../core/manifest/destination-names.ts';
import { domainNames } from '../../../core/manifest/domain-names.ts';
import { listAccounts, readManifests, type ReadPorts } from '../../../core/manifest/read/read.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import type { ProcessContext } from '../../context.ts';
import { resolvePlaces, type Places } from '../../settings/resolve-settings.ts';

type Surroundings = Pick<ProcessContext, 'env' | 'cwd' | 'stdin'>;

/**
 * Returns the domains of the manifests that a command line names or takes by default. `words` are the words of the
 * line. Names consist only of letters, digits, hyphens and dots. The user is still typing, so unreadable files are no
 * error, and standard input is not read.
 */
export async function listDomains(
  context: Surroundings,
  words: readonly string[],
): Promise<readonly string[]> {
  return domainNames(await readNamed(context, words).catch(() => []));
}

/** Text that no shell expands and that is not part of a file pattern. */
const SAFE = /^[\w@.+:/%=-]+$/;

/** Returns the addresses and webhooks of these manifests, and the groups if wanted. */
export async function listDestinations(
  context: Surroundings,
  words: readonly string[],
  wanted: 'destinations' | 'destinations-and-groups',
): Promise<readonly string[]> {
  const { groups, destinations } = destinationNames(await readNamed(context, words).catch(() => []));
  const names = [...destinations, ...(wanted === 'destinations' ? [] : groups)];
  return names.filter((name) => SAFE.test(name)).sort();
}

async function readNamed(context: Surroundings, words: readonly string[]): Promise<readonly ManifestText[]> {
  const { paths, accounts, stateDirectory: leaveOut } = placesIn(words, context);
  const { cwd, stdin } = context;
  const ports = { fs, stdin, cwd, leaveOut };
  const read = await Promise.all(
    (accounts === null ? paths : await listPaths(accounts, ports))
      .filter((path) => path !== '-')
      .map((path) => readManifests([path], ports)),
  );
  return read.flatMap((texts) => (texts.ok ? texts.value : []));
}

async function listPaths(directory: string, ports: ReadPorts): Promise<readonly string[]> {
  const listed = await listAccounts(directory, ports);
  return listed.ok ? listed.value : [];
}

/** Returns the places of manifests from the typed words. `=` may be a separate word. */
function placesIn(words: readonly string[], { env, cwd }: Surroundings): Places {
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
  const stated = {
    file: (values.file ?? []).flatMap((path) => textIn(path) ?? []),
    ...(accounts === undefined ? {} : { accounts }),
    ...(stateDir === undefined ? {} : { stateDir }),
  };
  return resolvePlaces(stated, { env, cwd });
}

/** Removes quotes and expands a tilde like a shell. Nothing else is expanded, because that may run a command. */
function unquoted(word: string, home: string): string {
  return word.replaceAll(/["'\\]/g, '').replace(/^~(?=\/|$)/, () => home);
}

/** Returns the text of an option. Without its value, the option is `true`. */
function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
