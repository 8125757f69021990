import PQueue from 'p-queue';
import type { Desired } from '../../../core/model/desired.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import type { ManifestRead, ManifestSource } from './manifest-source.ts';

/** Records which manifest owns which account and domains. No two manifests may own the same. */
export interface Ownership {
  /** Records what a manifest owns, in place of its previous record. */
  record(name: string, desired: Desired): void;
  /** Returns a problem for everything that another manifest owns too. */
  conflicts(name: string): readonly Problem[];
}

export function createOwnership(): Ownership {
  const manifests = new Map<string, Desired>();
  // Thousands of manifests cannot all be compared with each other again and again.
  const holders = new Map<string, Set<string>>();
  return {
    record(name, desired) {
      for (const claim of claimsOf(manifests.get(name))) holders.get(claim)?.delete(name);
      for (const claim of claimsOf(desired)) {
        const names = holders.get(claim) ?? new Set();
        holders.set(claim, names.add(name));
      }
      manifests.set(name, desired);
    },
    conflicts(name) {
      const ours = manifests.get(name);
      if (ours === undefined) return [];
      const others = new Set(claimsOf(ours).flatMap((claim) => [...(holders.get(claim) ?? [])]));
      others.delete(name);
      return [...others].toSorted().flatMap((other) => {
        const theirs = manifests.get(other);
        return theirs === undefined ? [] : conflictsOf(ours, other, theirs);
      });
    },
  };
}

/** Returns the account and the domains of a manifest, each of which only one manifest may own. */
function claimsOf(desired: Desired | undefined): readonly string[] {
  if (desired === undefined) return [];
  const account = desired.api.account?.toLowerCase();
  return [...(account === undefined ? [] : [`account ${account}`]), ...desired.domains.keys()];
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
    // A tombstone here and the domain there is a move. The delete waits until the domain is in place there.
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

/** Reads at most `most` manifests at a time. Reading thousands at once would use memory that is not given back. */
export function readInTurn(most: number): (source: ManifestSource) => ManifestSource {
  const queue = new PQueue({ concurrency: most });
  return (source) => ({ read: () => queue.add(() => source.read()) });
}

/**
 * Holds the first read of a manifest until all others have been read once, then reads it again. Only then are the
 * keys of all accounts known, and no key may be the value of a reference. Unchanged manifests are not loaded again.
 */
export function readTogether(signal: AbortSignal): (source: ManifestSource) => ManifestSource {
  let unread = 0;
  let all = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => all.resolve(), { once: true });
  return (source) => {
    let isFirst = true;
    unread += 1;
    return {
      async read() {
        if (!isFirst) return source.read();
        isFirst = false;
        const { promise } = all;
        const before = await source.read().finally(() => {
          if ((unread -= 1) > 0) return;
          all.resolve();
          if (!signal.aborted) all = Promise.withResolvers();
        });
        await promise;
        return (await source.read()) ?? before;
      },
    };
  };
}

/** Returns a source that refuses its manifest while another account owns a part of it. */
export function exclusiveSource(name: string, source: ManifestSource, ownership: Ownership): ManifestSource {
  let current: ManifestRead | null = null;
  let reported: string | null = null;
  return {
    async read() {
      const fresh = await source.read();
      current = fresh ?? current;
      if (fresh?.kind === 'good') ownership.record(name, fresh.desired);
      if (current?.kind !== 'good') return fresh;
      const problems = ownership.conflicts(name);
      const verdict = JSON.stringify(problems);
      if (fresh === null && verdict === reported) return null;
      reported = verdict;
      return problems.length === 0
        ? current
        : { kind: 'bad', message: 'two accounts have the same', problems };
    },
  };
}
