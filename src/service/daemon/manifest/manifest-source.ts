import { plural } from '../../../core/model/names.ts';
import { createHash } from 'node:crypto';
import {
  loadWithReferences,
  type LoadOptions,
  type ManifestText,
  type NeededReferences,
  type ReadReferences,
} from '../../../core/manifest/load.ts';
import { readManifests, type ReadFault, type ReadPorts } from '../../../core/manifest/read/read.ts';
import type { Clock } from '../../../core/model/clock.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import { fail, type Result } from '../../../core/model/result.ts';
import type { ManifestSize } from '../../../core/model/prior.ts';
import { manifestSize } from '../../../core/plan/size.ts';

/** Current content of the manifest files. */
export type ManifestRead =
  | {
      readonly kind: 'good';
      readonly desired: Desired;
      readonly size: ManifestSize;
      /** Warnings. */
      readonly problems: readonly Problem[];
    }
  | { readonly kind: 'bad'; readonly message: string; readonly problems: readonly Problem[] };

export interface ManifestSource {
  /** Returns null if the files have the same content as at the last read. */
  read(): Promise<ManifestRead | null>;
}

export interface SourceOptions extends ReadPorts {
  readonly paths: readonly string[];
  readonly load: Omit<LoadOptions, 'resolve'>;
  readonly readReferences: ReadReferences;
  readonly clock: Clock;
}

const BETWEEN_READS_MS = 50;
const MOST_READS = 20;

/**
 * Reads the manifest of one account. Loads it again only if its content changed, or the content of a file that it
 * refers to.
 */
export function createManifestSource(options: SourceOptions): ManifestSource {
  let last: string | null = null;
  let values: Values = { needed: { keys: [], others: [] }, resolve: () => null };
  return {
    async read() {
      const { needed } = values;
      const digest = digestValues({ needed, resolve: await options.readReferences(needed) });
      const first = await readManifests(options.paths, options);
      if (`${digestTexts(first)} ${digest}` === last) return null;
      const texts = await readUntilStable(first, options);
      if (`${digestTexts(texts)} ${digest}` === last) return null;
      const read = texts.ok
        ? await loadTexts(texts.value, options, (current) => {
            values = current;
          })
        : unreadable(texts.error);
      last = `${digestTexts(texts)} ${digestValues(values)}`;
      return read;
    },
  };
}

/** The references of the last loaded manifest, with their values at that time. */
interface Values {
  readonly needed: NeededReferences;
  readonly resolve: LoadOptions['resolve'];
}

type Texts = Result<readonly ManifestText[], ReadFault>;

/** Reads files until two reads agree, because a file may be in the middle of a change. */
async function readUntilStable(first: Texts, options: SourceOptions): Promise<Texts> {
  let before = first;
  for (let reads = 2; reads <= MOST_READS; reads += 1) {
    await options.clock.sleep(BETWEEN_READS_MS);
    const again = await readManifests(options.paths, options);
    if (digestTexts(before) === digestTexts(again)) return again;
    before = again;
  }
  const [path = ''] = options.paths;
  return fail({
    path,
    message: `${path}: it keeps changing while it is read`,
    hint: 'wait until it stops changing',
  });
}

/** Loads a manifest from texts, without a prompt for missing values. */
export async function loadTexts(
  texts: readonly ManifestText[],
  { load: options, readReferences }: Pick<SourceOptions, 'load' | 'readReferences'>,
  onRead: (values: Values) => void = () => {},
): Promise<ManifestRead> {
  const { desired, problems: found } = await loadWithReferences(texts, options, async (needed) => {
    const resolve = await readReferences(needed);
    onRead({ needed, resolve });
    return resolve;
  });
  const problems = found.map(asDaemonProblem);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (desired !== null && errors === 0)
    return { kind: 'good', desired, size: manifestSize(desired), problems };
  return {
    kind: 'bad',
    message: `the manifest is invalid: ${plural(errors, 'error')}`,
    problems,
  };
}

/**
 * Turns the missing line break at the end of a file into an error. The file may be cut, and a daemon has no person to
 * check it.
 */
function asDaemonProblem(problem: Problem): Problem {
  return problem.code === 'no-final-newline' ? { ...problem, severity: 'error' } : problem;
}

function unreadable({ message, hint }: ReadFault): ManifestRead {
  const problem: Problem = { severity: 'error', code: 'unreadable', message, hint, source: null };
  return { kind: 'bad', message, problems: [problem] };
}

function digestTexts(texts: Texts): string {
  const hash = createHash('sha256');
  if (!texts.ok) return hash.update(texts.error.message).digest('hex');
  for (const { file, text } of texts.value)
    hash.update(`${file.length} ${file} ${text.length} `).update(text);
  return hash.digest('hex');
}

function digestValues({ needed, resolve }: Values): string {
  const hash = createHash('sha256');
  for (const reference of needed.others) hash.update(JSON.stringify([reference.shown, resolve(reference)]));
  return hash.digest('hex');
}
