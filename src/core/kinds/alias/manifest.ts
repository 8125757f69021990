import type { Fields } from '../../fields/fields.ts';
import { namedLanguage } from '../../manifest/sections/named.ts';
import type { Entry } from '../../manifest/read/node.ts';
import type { Loading } from '../../manifest/resolve/context.ts';
import { reportInside } from '../../manifest/resolve/values/inner-fault.ts';
import { capturesIn } from '../../model/destinations.ts';
import { looksLikeRegex, parseAliasName } from '../../model/names.ts';
import { compilePattern } from '../../routing/regex.ts';
import { ALIAS, type AliasState } from './fields.ts';

/** The manifest language of aliases. An entry is its destinations. */
export const ALIAS_LANGUAGE = namedLanguage(ALIAS, {
  parseName: parseAliasName,
  inline: 'forward',
  suits: hasItsGroups,
});

/** True if the name has every group that its destinations refer to. */
function hasItsGroups(entry: Entry, fields: Fields, { log }: Loading): boolean {
  const groups = countGroups(entry, log);
  if (groups === null) return false;
  const captures = (fields as AliasState).forward.flatMap(capturesIn);
  const missing = captures.find((capture) => Number(capture.slice(1)) > groups);
  if (missing !== undefined) {
    log.report('capture-without-group', entry.value, {
      message: `${missing} stands for group ${missing.slice(1)} of the name, which has ${groups}`,
      hint: 'put that part of the name in parentheses, or write the whole destination',
    });
  }
  return true;
}

/**
 * Returns the number of groups in a regular expression, 0 for other names; null if the expression does not compile.
 */
function countGroups({ key }: Entry, log: Loading['log']): number | null {
  if (!looksLikeRegex(key.text)) return 0;
  const compiled = compilePattern(key.text.normalize('NFC'), { letterCase: 'any' });
  if (compiled.ok) return compiled.value.groups;
  reportInside('pattern', key, compiled.error, log);
  return null;
}
