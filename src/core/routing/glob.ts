/**
 * True if an `ignore` pattern covers a name; case does not count. `*` matches any run, `?` matches one character, and a
 * backslash takes the next character literally. It needs linear memory, and at worst pattern × name steps.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const parts = parseGlob(pattern.normalize('NFC').toLowerCase());
  const text = Array.from(name.normalize('NFC').toLowerCase());
  let part = 0;
  let at = 0;
  let star = -1;
  let retryAt = 0;
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted?.kind === 'run') {
      star = part;
      part += 1;
      retryAt = at;
    } else if (wanted?.kind === 'one' || (wanted?.kind === 'literal' && wanted.character === text[at])) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      // Only the last run has to grow: everything before it has matched.
      part = star + 1;
      retryAt += 1;
      at = retryAt;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest.kind === 'run');
}

type GlobPart =
  | { readonly kind: 'run' }
  | { readonly kind: 'one' }
  | { readonly kind: 'literal'; readonly character: string };

function parseGlob(pattern: string): readonly GlobPart[] {
  const parts: GlobPart[] = [];
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    if (character === '*') parts.push({ kind: 'run' });
    else if (character === '?') parts.push({ kind: 'one' });
    else if (character === '\\' && index + 1 < characters.length) {
      index += 1;
      parts.push({ kind: 'literal', character: characters[index] ?? '' });
    } else parts.push({ kind: 'literal', character });
  }
  return parts;
}
