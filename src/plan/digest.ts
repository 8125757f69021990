import type { Plan } from '../model/plan.ts';

/**
 * What a plan is approved by: `sha256:…` over api, manifest, changes, guards and allowances. When it was made, what it
 * would take and where its lines stand make no other plan.
 */
export function planDigest(plan: Plan, sha256: (text: string) => string): string {
  const { api, manifest, allowances } = plan;
  const changes = plan.changes.map(({ source: _source, via: _via, ...change }) => change);
  const guards = plan.guards.map(({ message: _message, ...guard }) => guard);
  const covered = { api, manifest: manifest.digest, changes, guards, allowances };
  return `sha256:${sha256(canonicalJson(covered))}`;
}

/** JSON with the keys of every object in code point order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
