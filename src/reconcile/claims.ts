import type { Desired } from '../model/desired.ts';
import type { Problem } from '../model/problem.ts';
import type { ManifestLook, ManifestSource } from './daemon/manifest-source.ts';

/** Which account has what, so that no two manifests have the same account or domain. */
export interface Claims {
  /** States, or states anew, what a manifest has. */
  claim(name: string, desired: Desired): void;
  /** What of it others have as well. */
  conflicts(name: string): readonly Problem[];
}

export function createClaims(): Claims {
  const claimed = new Map<string, Desired>();
  return {
    claim(name, desired) {
      claimed.set(name, desired);
    },
    conflicts(name) {
      const ours = claimed.get(name);
      if (ours === undefined) return [];
      return [...claimed].flatMap(([other, theirs]) =>
        other === name ? [] : conflictsOf(ours, other, theirs),
      );
    },
  };
}

function conflictsOf(ours: Desired, name: string, theirs: Desired): readonly Problem[] {
  const problems: Problem[] = [];
  const account = ours.api.account?.toLowerCase();
  if (account !== undefined && account === theirs.api.account?.toLowerCase()) {
    problems.push({
      severity: 'error',
      code: 'account-twice',
      message: `${name} is a manifest of the same account, ${account}`,
      hint: 'put everything for one account into one manifest: one file, or one directory',
      source: null,
    });
  }
  for (const [domain, { source, state }] of ours.domains) {
    const other = theirs.domains.get(domain);
    // A tombstone here and the domain there is a move: whoever deletes sees to it that it is in place there first.
    if (other === undefined || other.state !== state) continue;
    problems.push({
      severity: 'error',
      code: 'domain-twice',
      message: `the domain ${domain} is in the manifest of another account, ${name}, as well`,
      hint: 'keep it in one of them; to move it, write state: absent in the old account',
      source,
      related: other.source,
    });
  }
  return problems;
}

/** A source whose manifest is refused for as long as another account has something of it as well. */
export function claimingSource(name: string, source: ManifestSource, claims: Claims): ManifestSource {
  let current: ManifestLook | null = null;
  let told: string | null = null;
  return {
    async look() {
      const fresh = await source.look();
      current = fresh ?? current;
      if (fresh?.kind === 'good') claims.claim(name, fresh.desired);
      if (current?.kind !== 'good') return fresh;
      const problems = claims.conflicts(name);
      const verdict = JSON.stringify(problems);
      if (fresh === null && verdict === told) return null;
      told = verdict;
      return problems.length === 0
        ? current
        : { kind: 'bad', message: 'two accounts have the same', problems };
    },
  };
}
