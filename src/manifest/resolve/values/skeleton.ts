/** Letters of other scripts that are drawn like a Latin one (Unicode TR 39, the commonest of them). */
const LATIN_TWINS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['a', 'аαɑ'],
    ['b', 'ЬƄ'],
    ['c', 'сϲⅽ'],
    ['d', 'ԁⅾ'],
    ['e', 'еҽ℮'],
    ['g', 'ɡց'],
    ['h', 'һհ'],
    ['i', 'іιıɩ'],
    ['j', 'јϳ'],
    ['k', 'кκ'],
    ['l', 'ӏⅼ'],
    ['m', 'мⅿ'],
    ['n', 'пո'],
    ['o', 'оοօσ'],
    ['p', 'рρ'],
    ['q', 'ԛգ'],
    ['r', 'гⲅ'],
    ['s', 'ѕꜱ'],
    ['t', 'тτ'],
    ['u', 'υսц'],
    ['v', 'ѵνⅴ'],
    ['w', 'ԝѡա'],
    ['x', 'хχⅹ'],
    ['y', 'уγү'],
    ['z', 'ᴢ'],
    ['-', '‐‑‒–—−'],
    ['.', '․'],
  ].flatMap(([latin = '', twins = '']) => Array.from(twins, (twin) => [twin, latin])),
);

/** What a name looks like: compatibility forms folded, look-alikes of other scripts as Latin letters. */
export function skeletonOf(name: string): string {
  return Array.from(name.normalize('NFKC').toLowerCase(), (character) => LATIN_TWINS[character] ?? character)
    .join('')
    .normalize('NFC');
}
