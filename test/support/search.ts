import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Encodings in which a secret may leak. */
export const ENCODINGS: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64 of api:KEY': (value) => Buffer.from(`api:${value}`).toString('base64'),
  'URL-encoded': encodeURIComponent,
  'JSON-escaped': (value) => JSON.stringify(value).slice(1, -1),
  hex: (value) => Buffer.from(value).toString('hex'),
};

/** A text that was printed, sent or written, and its place. */
export interface Found {
  readonly where: string;
  readonly text: string;
}

/** Returns the secrets that a text contains, by name and encoding, ignoring case. */
export function searchIn(
  { where, text }: Found,
  secrets: Readonly<Record<string, string>>,
): readonly string[] {
  const lower = text.toLowerCase();
  return Object.entries(secrets).flatMap(([name, value]) =>
    Object.entries(ENCODINGS)
      .filter(([, encode]) => lower.includes(encode(value).toLowerCase()))
      .map(([encoding]) => `${name} (${encoding}) in ${where}`),
  );
}

/** Returns every file below a directory, except files with these names. */
export async function filesBelow(directory: string, except: readonly string[]): Promise<readonly Found[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !except.includes(entry.name));
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { where: path, text: await readFile(path, 'utf8') };
    }),
  );
}
