import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { readManifests } from '../../../core/manifest/read/read.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { parseWanted, type WantedDestination } from '../../../core/manifest/who/wanted.ts';
import { findWho, type WhoFindings } from '../../../core/manifest/who/who.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { Disclosure } from '../../../core/model/destinations.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import type { WhoBoxAnswer } from '../../../service/status/page/views/who-box.ts';
import { MANIFEST_FILES } from '../../input/manifest/manifest-files.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import { entryTitle, whoDocument, type WhoAnswer } from '../who/who-document.ts';
import { whoFacts, whoHeadline } from '../who/who-text.ts';
import { isRoutedBy } from '../who/who-command.ts';

interface WhoPorts {
  readonly cwd: string;
  readonly command: CommandLine;
}

const MOST_ENTRIES = 200;

/** Says which mail ends at a destination by the manifests that are loaded, as `fwdsync who` does. */
export async function answerWho(
  text: string,
  manifests: readonly Desired[],
  disclosure: Disclosure,
  ports: WhoPorts,
): Promise<WhoBoxAnswer> {
  const wanted = parseWanted(text);
  if (!wanted.ok) return { kind: 'unclear', headline: wanted.error.message, hint: wanted.error.hint };
  const found: (WhoFindings & { readonly areNamed: boolean })[] = [];
  for (const desired of manifests) found.push(await findNamed(desired, wanted.value, ports));
  const answer: WhoAnswer = {
    basis: 'manifest',
    destination: wanted.value.text,
    entries: found.flatMap(({ entries }) => entries),
    idle: found.flatMap(({ idle }) => idle),
    isRouted: manifests.some((desired) => isRoutedBy(desired, wanted.value)),
    unread: [],
    disclosure,
  };
  const document = whoDocument(answer);
  const { destination } = document;
  const quoted = quoteForShell(destination);
  const isShown = destination === answer.destination;
  const all = ports.command(`who ${quoted}`);
  const unnamed = `groups and templates on the way are not named here, because the manifest is large: ${all}`;
  return {
    kind: 'found',
    headline: whoHeadline(document),
    entries: answer.entries.slice(0, MOST_ENTRIES).map((entry) => ({
      domain: entry.domain,
      title: entryTitle(entry),
      facts: whoFacts(entry, disclosure),
      places: entry.sources.map(({ file, line }) => `${file}:${line}`),
    })),
    more: Math.max(0, answer.entries.length - MOST_ENTRIES),
    notes: [...document.notes, ...(found.every(({ areNamed }) => areNamed) ? [] : [unnamed])],
    next:
      answer.entries.length === 0 || !isShown || destination.startsWith('*@')
        ? null
        : ports.command(`replace ${quoted} NEW --dry-run`),
    all,
  };
}

/** Names groups and templates if the files can be parsed within moments, because the daemon waits for it. */
async function findNamed(
  desired: Desired,
  wanted: WantedDestination,
  { cwd }: WhoPorts,
): Promise<WhoFindings & { readonly areNamed: boolean }> {
  const found = findWho({ texts: [], desired, wanted });
  if (found.entries.length === 0 && found.idle.length === 0) return { ...found, areNamed: true };
  const texts = await readSmall(desired.files, cwd);
  if (texts === null) return { ...found, areNamed: false };
  return { ...findWho({ texts, desired, wanted }), areNamed: true };
}

const MOST_BYTES = 1024 * 1024;

/** Returns the texts of manifests; null if they are large, or cannot be read. */
async function readSmall(files: readonly string[], cwd: string): Promise<readonly ManifestText[] | null> {
  let room = MOST_BYTES;
  for (const file of files) {
    room -= await stat(resolve(cwd, file)).then(
      ({ size }) => size,
      () => Infinity,
    );
    if (room < 0) return null;
  }
  const texts = await readManifests(files, { fs: MANIFEST_FILES, stdin: Readable.from([]), cwd });
  return texts.ok ? texts.value : null;
}
