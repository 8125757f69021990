import type { Source } from '../../../../core/model/manifest/problem.ts';

/** Returns `file:line`; null if only the account has the entry. */
export function placeText(source: Source | null): string | null {
  return source === null ? null : `${source.file}:${source.line}`;
}
