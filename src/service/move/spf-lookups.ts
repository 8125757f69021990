import { isSpf } from '../../core/dns/spf.ts';
import type { Resolver } from '../../client/dns/zone.ts';

/** Receivers look up at most ten names for one SPF record (RFC 7208, 4.6.4). */
const MOST_LOOKUPS = 10;

/** Counts the look-ups of an SPF record and of all that it includes; it stops once there are more than ten. */
export async function countLookups(domain: string, record: string, resolver: Resolver): Promise<number> {
  const open: string[] = [record];
  const seen = new Set<string>([domain]);
  let count = 0;
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const { takesLookup, follows } of termsOf(text)) {
      if (takesLookup) count += 1;
      if (count > MOST_LOOKUPS) return count;
      if (follows === null || seen.has(follows)) continue;
      seen.add(follows);
      const looked = await resolver.look(follows, 'TXT');
      const next = looked.ok ? looked.value.find((found) => isSpf(found.text)) : undefined;
      if (next !== undefined) open.push(next.text);
    }
  }
  return count;
}

interface SpfTerm {
  readonly takesLookup: boolean;
  /** The domain whose record counts too; null if there is none, or if it depends on the message. */
  readonly follows: string | null;
}

function termsOf(record: string): readonly SpfTerm[] {
  return record
    .split(/\s+/)
    .slice(1)
    .map((term) => {
      const [, name = '', value = ''] = /^[-~+?]?([a-z]+)(?:[:=]([^/]*))?/i.exec(term) ?? [];
      const kind = name.toLowerCase();
      const isNested = (kind === 'include' || kind === 'redirect') && value !== '' && !value.includes('%');
      return {
        takesLookup: ['include', 'redirect', 'a', 'mx', 'ptr', 'exists'].includes(kind),
        follows: isNested ? value.toLowerCase().replace(/\.$/, '') : null,
      };
    });
}
