/** The parts of a regular expression that decide which local parts match: without captures, laziness and anchors. */
export type PatternTree =
  | { readonly kind: 'one-of'; readonly characters: ReadonlySet<string> }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'either'; readonly parts: readonly PatternTree[] }
  /** `most` is null if the number is unlimited. */
  | {
      readonly kind: 'repeat';
      readonly part: PatternTree;
      readonly least: number;
      readonly most: number | null;
    };

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
const DIGITS = '0123456789'.split('');
/** Characters of local parts, in order of preference for examples. Case does not matter. */
export const ALPHABET: readonly string[] = [...LETTERS, ...DIGITS, ...".-_='!&*?^{|}~$+".split('')];

/** Parses a regular expression. Returns null if it uses RE2 syntax that this parser does not know. */
export function parsePattern(source: string): PatternTree | null {
  const reader: Reader = { text: source, at: 0 };
  const tree = readEither(reader);
  return reader.at === source.length ? tree : null;
}

interface Reader {
  readonly text: string;
  at: number;
}

function readEither(reader: Reader): PatternTree | null {
  const parts: PatternTree[] = [];
  do {
    const part = readSequence(reader);
    if (part === null) return null;
    parts.push(part);
  } while (take(/\|/y, reader) !== null);
  return { kind: 'either', parts };
}

function readSequence(reader: Reader): PatternTree | null {
  const parts: PatternTree[] = [];
  while (reader.at < reader.text.length && !/[|)]/.test(reader.text.charAt(reader.at))) {
    // A pattern is matched against the whole local part, so anchors at its ends add nothing.
    if (take(/[$^]|\\[Az]/y, reader) !== null) continue;
    const atom = readAtom(reader);
    if (atom === null) return null;
    parts.push(readRepeats(atom, reader));
  }
  return { kind: 'sequence', parts };
}

function readRepeats(atom: PatternTree, reader: Reader): PatternTree {
  let part = atom;
  for (;;) {
    const found = take(/([*+?]|\{(\d+)(,?)(\d*)\})\??/y, reader);
    if (found === null) return part;
    const [, sign = '', least = '', comma, most = ''] = found;
    part = { kind: 'repeat', part, ...(BOUNDS[sign] ?? boundsOf(least, comma, most)) };
  }
}

const BOUNDS: Readonly<Record<string, { readonly least: number; readonly most: number | null }>> = {
  '*': { least: 0, most: null },
  '+': { least: 1, most: null },
  '?': { least: 0, most: 1 },
};

function boundsOf(
  least: string,
  comma: string | undefined,
  most: string,
): { readonly least: number; readonly most: number | null } {
  if (comma !== ',') return { least: Number(least), most: Number(least) };
  return { least: Number(least), most: most === '' ? null : Number(most) };
}

function readAtom(reader: Reader): PatternTree | null {
  if (take(/\((?:\?(?::|P?<\w+>))?(?!\?)/y, reader) !== null) {
    const inner = readEither(reader);
    return take(/\)/y, reader) === null ? null : inner;
  }
  if (take(/\./y, reader) !== null) return oneOf(ALPHABET);
  if (take(/\[/y, reader) !== null) return readClass(reader);
  const [, escaped, plain] = take(/\\([^QEpPxbBC\d])|([^\\()[\]{}|*+?.^$])/y, reader) ?? [];
  const characters = escaped === undefined ? plain && [plain] : charactersOf(escaped);
  return characters === undefined || characters === '' ? null : oneOf(characters);
}

/** Returns the characters of an escape such as `\d`. An escaped sign is the sign itself. */
function charactersOf(escaped: string): readonly string[] | undefined {
  const known = CLASSES[escaped.toLowerCase()];
  if (known === undefined) return /[a-z]/i.test(escaped) ? undefined : [escaped];
  return escaped === escaped.toLowerCase() ? known : ALPHABET.filter((one) => !known.includes(one));
}

const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: [...LETTERS, ...DIGITS, '_'],
  s: [],
};

/** Reads a class such as `[^a-z0-9_.]`, starting after its opening bracket. */
function readClass(reader: Reader): PatternTree | null {
  const isNegated = take(/\^/y, reader) !== null;
  const found: string[] = [];
  do {
    const item = take(/(?:\\([^QEpPxbBC\d])|([^\\[]))(?:-(?:\\(\W)|([^\\[\]])))?/y, reader);
    const characters = item === null ? undefined : charactersIn(item);
    if (characters === undefined) return null;
    found.push(...characters);
  } while (reader.at < reader.text.length && take(/\]/y, reader) === null);
  const set = oneOf(found);
  return isNegated ? oneOf(ALPHABET.filter((one) => !set.characters.has(one))) : set;
}

function charactersIn([, escaped, plain, escapedEnd, plainEnd]: RegExpExecArray):
  | readonly string[]
  | undefined {
  const start = escaped === undefined ? [plain ?? ''] : charactersOf(escaped);
  const end = escapedEnd ?? plainEnd;
  if (end === undefined || start === undefined) return start;
  const [from = ''] = start;
  // Both cases count, so that [A-Z] includes the lower-case letters.
  return ALPHABET.filter((one) => [one, one.toUpperCase()].some((each) => from <= each && each <= end));
}

function oneOf(characters: Iterable<string>): Extract<PatternTree, { readonly kind: 'one-of' }> {
  return { kind: 'one-of', characters: new Set(Iterator.from(characters).map((one) => one.toLowerCase())) };
}

function take(pattern: RegExp, reader: Reader): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found !== null) reader.at = pattern.lastIndex;
  return found;
}
