import { createHash } from 'node:crypto';
import { loadManifest, type LoadOptions, type ManifestText } from '../manifest/load.ts';
import { readManifests, type ReadFault, type ReadPorts } from '../manifest/read.ts';
import type { Clock } from '../model/clock.ts';
import type { Desired, Reference } from '../model/desired.ts';
import type { Problem } from '../model/problem.ts';
import { fail, type Result } from '../model/result.ts';
import { manifestSize, type ManifestSize } from '../plan/size.ts';

/** What the files hold now. */
export type ManifestLook =
  | {
      readonly kind: 'good';
      readonly desired: Desired;
      readonly size: ManifestSize;
      /** Warnings. */
      readonly problems: readonly Problem[];
    }
  | { readonly kind: 'bad'; readonly message: string; readonly problems: readonly Problem[] };

export interface ManifestSource {
  /** Reads the files; null: they hold what they held at the last look. */
  look(): Promise<ManifestLook | null>;
}

export interface SourceOptions extends ReadPorts {
  readonly paths: readonly string[];
  readonly load: LoadOptions;
  readonly clock: Clock;
}

const BETWEEN_READS_MS = 50;
const MOST_READS = 20;

/** Reads the manifest of one account; it is loaded again only when its content, or that of a file it refers to, differs. */
export function createManifestSource(options: SourceOptions): ManifestSource {
  let last: string | null = null;
  let references: readonly Reference[] = [];
  return {
    async look() {
      const digest = (read: Texts): string =>
        `${digestTexts(read)} ${digestReferences(references, options.load)}`;
      const first = await readManifests(options.paths, options);
      if (digest(first) === last) return null;
      const texts = await readSettled(first, options);
      if (digest(texts) === last) return null;
      const resolved = new Map<string, Reference>();
      const look = texts.ok ? load(texts.value, options.load, resolved) : unreadable(texts.error);
      references = [...resolved.values()];
      last = digest(texts);
      return look;
    },
  };
}

type Texts = Result<readonly ManifestText[], ReadFault>;

/** A file that is read in the middle of a change is read again, until two readings agree. */
async function readSettled(first: Texts, options: SourceOptions): Promise<Texts> {
  let before = first;
  for (let reads = 2; reads <= MOST_READS; reads += 1) {
    await options.clock.sleep(BETWEEN_READS_MS);
    const again = await readManifests(options.paths, options);
    if (digestTexts(before) === digestTexts(again)) return again;
    before = again;
  }
  const [path = ''] = options.paths;
  return fail({ path, message: `${path}: it keeps changing while it is read`, hint: 'let it come to rest' });
}

function load(
  texts: readonly ManifestText[],
  options: LoadOptions,
  resolved: Map<string, Reference>,
): ManifestLook {
  const { desired, problems: found } = loadManifest(texts, {
    ...options,
    resolve(reference) {
      resolved.set(JSON.stringify([reference.kind, reference.shown]), reference);
      return options.resolve(reference);
    },
  });
  const problems = found.map(asDaemonProblem);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (desired !== null && errors === 0)
    return { kind: 'good', desired, size: manifestSize(desired), problems };
  return {
    kind: 'bad',
    message: `the manifest is invalid: ${errors} ${errors === 1 ? 'error' : 'errors'}`,
    problems,
  };
}

/** Without a line break at its end a file may be cut; nobody is there to look at it. */
function asDaemonProblem(problem: Problem): Problem {
  return problem.code === 'no-final-newline' ? { ...problem, severity: 'error' } : problem;
}

function unreadable({ message, hint }: ReadFault): ManifestLook {
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

function digestReferences(references: readonly Reference[], { resolve }: LoadOptions): string {
  const hash = createHash('sha256');
  for (const reference of references) hash.update(JSON.stringify([reference.shown, resolve(reference)]));
  return hash.digest('hex');
}
