import { domainPartOf, parseDomainName } from '../../model/names.ts';
import type { LeftOutLine } from './forwards.ts';
import type { Missing } from './translate/missing.ts';

/** Returns the domain of a line: that of its address, or the one that its pattern names; null if there is none. */
export function domainOfLine(
  { address, reason, domain }: LeftOutLine,
  localDomains: readonly string[],
): string | null {
  if (domain !== undefined || address === null) return domain ?? null;
  if (reason === 'pattern' || address.startsWith('/')) return domainOfPattern(address);
  return address.includes('@') ? domainPartOf(address).toLowerCase() : (localDomains[0] ?? null);
}

function domainOfPattern(shown: string): string | null {
  const [, text = ''] = /@\(?((?:[\w-]|\\?\.)+)\)?\$?(?:\/\w*)?$/.exec(shown) ?? [];
  const domain = text.replaceAll('\\', '').toLowerCase();
  return parseDomainName(domain).ok ? domain : null;
}

/** Returns a left-out line as a missing part of its domain. */
export function missingLine({ span, address, reason }: LeftOutLine, domain: string): Missing {
  const isPattern = reason === 'pattern' || reason === 'capture';
  const isUseless = reason === 'duplicate' || address === null || address.startsWith('*@') || address === '*';
  const named = address === null || address.includes('@') || isPattern ? address : `${address}@${domain}`;
  const kind = isPattern ? 'everything' : isUseless ? 'none' : 'address';
  return { span, address: named, reason, mail: { kind } };
}
