import { DISCARD, normaliseDestination } from '../../model/destinations.ts';
import { domainPartOf, parseDomainName, quote } from '../../model/names.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { WantedTest } from '../../routing/leads/leads.ts';
import { becomes, isTemplate } from '../../routing/leads/domain-steps.ts';
import { parseDestination } from '../resolve/values/destination-text.ts';

/** The destination of a question: an address, a webhook, or `*@domain` for all addresses of a domain. */
export interface WantedDestination {
  /** The destination in normal form. */
  readonly text: string;
  readonly wants: WantedTest;
}

export function parseWanted(
  text: string,
): Result<WantedDestination, { readonly message: string; readonly hint: string }> {
  if (text.startsWith('*@')) {
    const domain = parseDomainName(text.slice(2));
    return domain.ok
      ? succeed({ text: `*@${domain.value}`, wants: wantsDomain(domain.value) })
      : fail(domain.error);
  }
  const parsed = parseDestination(text);
  if (parsed === null) {
    return fail({
      message: `${quote(text)} is neither an address nor a webhook`,
      hint: 'write an address such as ben@corp.example, a webhook, or *@corp.example for a whole domain',
    });
  }
  if (!parsed.ok) return fail({ ...parsed.error, message: `${parsed.error.message}: ${quote(text)}` });
  const { destination } = parsed.value;
  return succeed({ text: destination, wants: wantsOne(destination) });
}

/** True if two destinations are the same mailbox or webhook. Mail servers ignore the case of addresses. */
export function isSameDestination(a: string, b: string): boolean {
  const [left, right] = [normaliseDestination(a), normaliseDestination(b)];
  return left === right || (!left.includes('://') && left.toLowerCase() === right.toLowerCase());
}

function wantsDomain(domain: string): WantedTest {
  return (destination, pattern) => {
    if (destination === DISCARD || destination.includes('://')) return 'never';
    const host = domainPartOf(destination);
    if (pattern === null || !isTemplate(host, pattern)) return host === domain ? 'always' : 'never';
    return becomes(host, pattern)(domain) ? 'perhaps' : 'never';
  };
}

function wantsOne(wanted: string): WantedTest {
  return (destination, pattern) => {
    if (pattern === null || !isTemplate(destination, pattern)) {
      return isSameDestination(destination, wanted) ? 'always' : 'never';
    }
    return becomes(destination, pattern)(wanted) ? 'perhaps' : 'never';
  };
}
