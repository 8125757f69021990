import type { Source } from '../../../../core/model/manifest/problem.ts';

/** `file:line`; null: only the account has it. */
export function placeText(source: Source | null): string | null {
  return source === null ? null : `${source.file}:${source.line}`;
}
