import { cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findInstalled } from '../../input/installed.ts';

const FILE = 'acme.example.yaml';
const FIXED = '      press: [carol@corp.example, office]';
const MISTAKEN = '      press: info@acme.example';

export interface Mistake {
  readonly file: string;
  /** Explanation of the mistake and its consequence, for people. */
  readonly consequence: readonly string[];
}

/**
 * Returns the example's directory: in a checkout, in the npm package or in the container, somewhere above this
 * module.
 */
export function findExample(): string {
  return dirname(findInstalled(join('examples', 'acme', FILE)));
}

/** Makes a copy that the demo may change. */
export async function copyExample(target: string): Promise<void> {
  await cp(findExample(), target, { recursive: true });
}

/** Writes a line that the service rejects. The linter can only warn about it. */
export async function misdirect(directory: string): Promise<Mistake> {
  await replaceLine(directory, FIXED, MISTAKEN);
  return {
    file: `acme/${FILE}`,
    consequence: [
      'The edited line points press@acme.example to an address of the same domain.',
      'The linter warns that the service may refuse that; it does. The item is reported',
      'with its line, the deletes of that domain wait, and everything else is applied.',
    ],
  };
}

/** Fixes the line. Returns the old line and the new one. */
export async function correct(
  directory: string,
): Promise<{ readonly before: string; readonly after: string }> {
  await replaceLine(directory, MISTAKEN, FIXED);
  return { before: MISTAKEN, after: FIXED };
}

async function replaceLine(directory: string, before: string, after: string): Promise<void> {
  const path = join(directory, FILE);
  const text = await readFile(path, 'utf8');
  if (!text.includes(`${before}\n`)) throw new Error(`${path} has no line ${before.trim()}`);
  await writeFile(path, text.replace(`${before}\n`, `${after}\n`));
}
