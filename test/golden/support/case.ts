import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EditRequest, Fault } from '../../../src/emulator/faults/faults.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { Switches } from '../../../src/emulator/account/switches.ts';

/** Expected outcome of `apply`. Except for `converged` and `unchanged`, the account still differs from the manifest. */
export type Ending = 'converged' | 'unchanged' | 'partial' | 'refused' | 'invalid' | 'failed';

/** Content of `options.json`. */
export interface CaseOptions {
  readonly about?: string;
  /** Flags for `plan` and `apply`. */
  readonly flags?: readonly string[];
  /** Values of the manifest's references. */
  readonly env?: Readonly<Record<string, string>>;
  /** Changes in the dashboard, after `before` is applied if there is one. */
  readonly edits?: readonly EditRequest[];
  readonly switches?: Partial<Switches>;
  readonly rateLimit?: number;
  /** Faults that are set before `plan`, and before `apply`. */
  readonly planFaults?: readonly Fault[];
  readonly faults?: readonly Fault[];
  /** Differences between v3 and v4. */
  readonly v3?: Difference;
  /** API key to send instead of the account's key. */
  readonly key?: string;
  /** Default `converged`. */
  readonly ends?: Ending;
  /** Starts of the report's lines about failed items. */
  readonly failed?: readonly string[];
  /** Texts that no output may contain. */
  readonly secrets?: readonly string[];
  /** Items that undo cannot restore, such as `acme.example/credentials/scanner`. */
  readonly lost?: readonly string[];
}

export type Version = 'v4' | 'v3';

/** Files that differ on v3. They are stored separately: `plan.txt` as `plan.v3.txt`. */
export interface Difference {
  readonly because: string;
  readonly files: readonly string[];
  readonly ends?: Ending;
}

export interface GoldenCase {
  readonly name: string;
  readonly directory: string;
  /** `manifest.yaml` or `manifest`, relative to the directory. */
  readonly manifest: string;
  /** Manifest that is applied first; null means no earlier run. */
  readonly before: string | null;
  readonly account: Seed;
  readonly options: CaseOptions;
}

export function readCases(root: string): readonly GoldenCase[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'support')
    .map((entry) => readCase(root, entry.name));
}

export function endingOn({ options }: GoldenCase, version: Version): Ending {
  return (version === 'v3' ? options.v3?.ends : undefined) ?? options.ends ?? 'converged';
}

/** Name of the stored file; null means that the text must equal that of v4. */
export function storedAs(file: string, { options }: GoldenCase, version: Version): string | null {
  if (version === 'v4') return file;
  return options.v3?.files.includes(file) ? file.replace('.', '.v3.') : null;
}

function readCase(root: string, name: string): GoldenCase {
  const directory = join(root, name);
  return {
    name,
    directory,
    manifest: findPath(directory, 'manifest') ?? 'manifest.yaml',
    before: findPath(directory, 'before'),
    account: readJson(join(directory, 'account.json')) as Seed,
    options: readJson(join(directory, 'options.json')) ?? {},
  };
}

function findPath(directory: string, name: string): string | null {
  return [`${name}.yaml`, name].find((path) => existsSync(join(directory, path))) ?? null;
}

function readJson(path: string): unknown {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
