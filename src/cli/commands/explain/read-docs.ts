import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInstalled } from '../../input/installed.ts';
import { findExplanations, type Explanation } from './explanations.ts';

/** Reads what the installed docs explain: they are the only source. */
export function readExplanations(): readonly Explanation[] {
  const directory = findInstalled('docs');
  const pages = readdirSync(directory).filter((name) => name.endsWith('.md'));
  return findExplanations(
    pages.sort().map((name) => {
      return { path: `docs/${name}`, text: readFileSync(join(directory, name), 'utf8') };
    }),
  );
}

/** Lists the codes for shell completion, each with its kinds after a tab. */
export function listCodes(): readonly string[] {
  const kinds = Map.groupBy(readExplanations(), ({ code }) => code);
  return [...kinds]
    .filter(([code]) => /^[\w.-]+$/.test(code))
    .map(([code, found]) => {
      const words = found.flatMap(({ kind }) => kind ?? []);
      return `${code}\t${[...new Set(words)].join(' and ')}`;
    })
    .sort();
}
