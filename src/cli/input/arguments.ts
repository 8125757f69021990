import { parseDomainName, type DomainName } from '../../model/names.ts';
import { usageError } from '../exit.ts';

/** A domain that somebody typed, as an argument or, with its name, as the value of a flag. */
export function requireDomain(text: string, flag?: string): DomainName {
  const parsed = parseDomainName(text);
  if (parsed.ok) return parsed.value;
  const what = flag === undefined ? parsed.error.message : `${flag}: ${parsed.error.message}`;
  throw usageError(what, parsed.error.hint);
}
