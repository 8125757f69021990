import { compilePattern, type Pattern } from '../../../routing/regex.ts';
import type { OpaquePattern } from '../forwards.ts';

/**
 * Returns a matcher for a regular expression that is not understood; it is true if the expression may match. It is
 * read in two ways, because PCRE and POSIX differ in escapes such as `\\d`. An expression that RE2 refuses may match
 * everything.
 */
export function opaqueMatcher(
  source: string,
  { isNegated, flags }: { readonly isNegated: boolean; readonly flags: string },
): OpaquePattern['mayMatch'] {
  const readings = /^[ims]*$/.test(flags) ? readingsOf(source) : null;
  if (readings === null) return () => true;
  return (address) =>
    isNegated ? !readings.every(({ finds }) => finds(address)) : readings.some(({ finds }) => finds(address));
}

function readingsOf(source: string): readonly Pattern[] | null {
  const perl = compilePattern(source, { letterCase: 'any' });
  if (!perl.ok) return null;
  const posix = compilePattern(source.replace(/\\([^\W_bBswSW\d])/g, '$1'), { letterCase: 'any' });
  return posix.ok ? [perl.value, posix.value] : [perl.value];
}
