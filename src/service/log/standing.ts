import type { DaemonEvent } from '../../core/model/status/daemon.ts';

/** True if a line is not among those that were reported and still hold. */
export type IsNews = (line: string) => boolean;

/**
 * Remembers what was reported of each account and still holds. A sweep sees all of it, so anything that it does not
 * see is forgotten.
 */
export function createStanding(): {
  begin(event: Extract<DaemonEvent, { kind: 'run-finished' }>): IsNews;
} {
  const standing = new Map<string, { before: Set<string>; now: Set<string> }>();
  return {
    begin({ account, cause, result }) {
      const known = standing.get(account) ?? { before: new Set(), now: new Set() };
      const isWhole = cause === 'sweep' && result.kind === 'completed';
      const state = isWhole ? { before: known.now, now: new Set<string>() } : known;
      standing.set(account, state);
      return (line) => {
        const isNews = !state.before.has(line) && !state.now.has(line);
        state.now.add(line);
        return isNews;
      };
    },
  };
}
