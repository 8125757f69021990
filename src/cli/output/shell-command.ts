import { quoteForShell } from '../../core/plan/policy.ts';
import type { CommonOptions } from '../settings.ts';

/** Returns a command of this program about the same manifests, for a shell. */
export function shellCommand(
  words: readonly string[],
  { file = [], accounts }: Pick<CommonOptions, 'file' | 'accounts'>,
): string {
  // Of many accounts each is read from a file of its own.
  const manifests = accounts === undefined ? file.flatMap((path) => ['-f', path]) : ['--accounts', accounts];
  return ['fwdsync', ...[...words, ...manifests].map(quoteForShell)].join(' ');
}
