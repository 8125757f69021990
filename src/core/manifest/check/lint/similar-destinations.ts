import { domainPartOf, editDistance, quote } from '../../../model/names.ts';
import type { ProblemLog } from '../../problems.ts';
import { entriesOf, itemsOf, type Node, type TextNode } from '../../read/node.ts';
import type { WrittenDestination } from '../../resolve/context.ts';

/** Large mail providers. Destinations in these domains are no typing errors. */
const PROVIDERS: readonly string[] = [
  '126.com',
  '163.com',
  'aol.com',
  'comcast.net',
  'email.com',
  'fastmail.com',
  'gmail.com',
  'gmx.com',
  'gmx.de',
  'gmx.net',
  'googlemail.com',
  'hey.com',
  'hotmail.com',
  'icloud.com',
  'live.com',
  'mac.com',
  'mail.com',
  'mail.ru',
  'mailbox.org',
  'me.com',
  'msn.com',
  'outlook.com',
  'pm.me',
  'proton.me',
  'protonmail.com',
  'qq.com',
  'rocketmail.com',
  'tutanota.com',
  'verizon.net',
  'web.de',
  'yahoo.com',
  'yandex.com',
  'yandex.ru',
  'ymail.com',
  'zoho.com',
];

/** Many other domains are one letter away from a shorter name. */
const LEAST_PROVIDER_LENGTH = 'gmail.com'.length;
const LEAST_LABEL_LENGTH = 4;
/** A domain that the manifest uses this many times as often as one that looks like it is the one that was meant. */
const TIMES_AS_OFTEN = 3;

/** The domain that was probably meant, and why. */
interface Suggestion {
  readonly domain: string;
  readonly why: string;
}

interface Written {
  readonly documents: readonly Node[];
  readonly destinations: ReadonlyMap<string, WrittenDestination>;
  /** Domains of the manifest. */
  readonly ownDomains: ReadonlySet<string>;
}

/** Reports destinations whose domain is one letter away from a provider or a domain that the manifest uses often. */
export function reportSimilarDestinations(
  { documents, destinations, ownDomains }: Written,
  log: ProblemLog,
): void {
  const addresses = [...destinations].filter(([text]) => text.includes('@') && !text.includes('://'));
  const uses = new Map<string, number>();
  for (const [, written] of addresses) {
    const domain = domainOf(written);
    uses.set(domain, (uses.get(domain) ?? 0) + written.uses);
  }
  const suggest = createSuggester(uses);
  const meant = new Map<string, Suggestion>();
  for (const domain of uses.keys()) {
    const suggestion = ownDomains.has(domain) ? null : suggest(domain);
    if (suggestion !== null) meant.set(domain, suggestion);
  }
  if (meant.size === 0) return;
  const suspects = new Map(
    addresses.flatMap(([text, written]) => {
      const suggestion = meant.get(domainOf(written));
      return suggestion === undefined ? [] : [[text, { ...suggestion, typed: domainOf(written) }] as const];
    }),
  );
  for (const node of documents.flatMap(textNodesIn)) {
    const suspect = suspects.get(node.text);
    if (suspect === undefined) continue;
    const { typed, domain, why } = suspect;
    log.report('similar-destination', node, {
      message: `the domain ${quote(typed)} of this destination is almost ${quote(domain)}, ${why}`,
      hint: `did you mean ${quote(domain)}?`,
    });
  }
}

function domainOf({ destinations: [destination] }: WrittenDestination): string {
  return destination === undefined ? '' : domainPartOf(destination);
}

/**
 * Creates a lookup of the domain that was probably meant. Two domains that are one letter apart, or have two letters
 * swapped, are equal once one letter of each is left out.
 */
function createSuggester(uses: ReadonlyMap<string, number>): (domain: string) => Suggestion | null {
  const known = new Set(PROVIDERS);
  const candidates = new Map<string, string[]>();
  const often = [...uses].filter(([, count]) => count >= TIMES_AS_OFTEN).map(([domain]) => domain);
  const providers = PROVIDERS.filter(({ length }) => length >= LEAST_PROVIDER_LENGTH);
  for (const domain of new Set([...providers, ...often]))
    for (const key of shortened(domain)) candidates.set(key, [...(candidates.get(key) ?? []), domain]);
  return (domain) => {
    if (known.has(domain)) return null;
    const near = [...new Set(shortened(domain).flatMap((key) => candidates.get(key) ?? []))].filter(
      (other) => other !== domain && editDistance(domain, other, 1) === 1,
    );
    const provider = near.find((other) => known.has(other));
    if (provider !== undefined) return { domain: provider, why: 'a large mail provider' };
    const least = TIMES_AS_OFTEN * (uses.get(domain) ?? 0);
    const meant = near.find((other) => (uses.get(other) ?? 0) >= least && differsByTyping(domain, other));
    return meant === undefined ? null : { domain: meant, why: 'which this manifest uses more often' };
  };
}

/** Returns a text as it is, and without each of its letters. */
function shortened(text: string): readonly string[] {
  return [text, ...Array.from(text, (_, index) => text.slice(0, index) + text.slice(index + 1))];
}

/** False for names that often exist side by side: `de` and `dk`, `acme.com` and `acme.co`, `mx1` and `mx2`. */
function differsByTyping(domain: string, other: string): boolean {
  const [labels, others] = [domain.split('.'), other.split('.')];
  const at = labels.findIndex((label, index) => label !== others[index]);
  const [a = '', b = ''] = [labels[at], others[at]];
  return (
    labels.length === others.length &&
    Math.min(a.length, b.length) >= LEAST_LABEL_LENGTH &&
    a.replaceAll(/\d/g, '') !== b.replaceAll(/\d/g, '')
  );
}

function textNodesIn(node: Node): readonly TextNode[] {
  if (node.kind === 'text') return [node];
  const parts = node.kind === 'list' ? itemsOf(node) : [...entriesOf(node)].map(({ value }) => value);
  return parts.flatMap(textNodesIn);
}
