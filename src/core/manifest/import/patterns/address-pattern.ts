import { parseDomainName } from '../../../model/names.ts';
import type { LocalPattern } from '../forwards.ts';
import { hasLetters, hasUncertainGroups, localPattern } from './local-pattern.ts';
import { parsePieces, type Branch, type Piece } from './parse-pattern.ts';

/** A regular expression for whole addresses, of one domain. */
export interface AddressPattern {
  readonly pattern: LocalPattern;
  /** The same where groups such as `(.*)` hold at least one character; null if that cannot be written. */
  readonly filled: LocalPattern | null;
  readonly domain: string;
  readonly matchesDomain: (domain: string) => boolean;
  /** The group that holds the domain; null if there is none. */
  readonly domainGroup: number | null;
  /** False if it depends on the kind of regular expression what groups hold. */
  readonly hasCertainGroups: boolean;
}

/** Parses a regular expression of which the part after `@` names one domain; null if it has another form, or tells cases apart. */
export function parseAddressPattern(source: string, letterCase: 'exact' | 'any'): AddressPattern | null {
  const [branch, ...others] = parsePieces(source) ?? [];
  if (branch === undefined || others.length > 0) return null;
  const at = branch.findLastIndex((piece) => piece.kind === 'character' && piece.text === '@');
  const after = at < 0 ? null : readDomain(branch.slice(at + 1));
  const local = branch.slice(0, Math.max(at, 0));
  const pattern = after === null ? null : localPattern(local);
  if (after === null || pattern === null) return null;
  if (letterCase === 'exact' && hasLetters(pattern)) return null;
  const domain = parseDomainName(after.text);
  if (!domain.ok || domain.value !== after.text) return null;
  return {
    pattern,
    filled: localPattern(local.map(filledGroup)),
    domain: domain.value,
    matchesDomain: after.matches,
    domainGroup: after.isGroup ? pattern.groups + 1 : null,
    hasCertainGroups: !hasUncertainGroups(local),
  };
}

interface DomainPart {
  /** In lower case, with a dot for any character. */
  readonly text: string;
  readonly isGroup: boolean;
  readonly matches: (domain: string) => boolean;
}

function readDomain(pieces: Branch): DomainPart | null {
  const isEnded = pieces.at(-1)?.kind === 'end';
  const inner = isEnded ? pieces.slice(0, -1) : pieces;
  const [only] = inner;
  const group = inner.length === 1 && only?.kind === 'group' && only.branches.length === 1 ? only : null;
  const characters = (group?.branches[0] ?? inner).map(characterOf);
  if (characters.includes(null)) return null;
  const text = characters.map((character) => character ?? '').join('');
  const source = characters.map((character) => (character === ANY ? '.' : quoteCharacter(character ?? '')));
  const expression = new RegExp(`^${source.join('')}${isEnded ? '$' : ''}`, 'i');
  return {
    text: text.replaceAll(ANY, '.').toLowerCase(),
    isGroup: group?.isCapture === true,
    matches: (domain) => expression.test(domain),
  };
}

/** Stands for any character; no domain has it. */
const ANY = '\n';

function characterOf(piece: Piece): string | null {
  if (piece.kind === 'any') return ANY;
  return piece.kind === 'character' ? piece.text : null;
}

function quoteCharacter(character: string): string {
  return character.replace(/[\\^$.|?*+()[\]{}/-]/, String.raw`\$&`);
}

/** A group that may be repeated by nothing, so that it is repeated at least once. */
function filledGroup(piece: Piece): Piece {
  const [only, ...others] = piece.kind === 'group' && piece.branches.length === 1 ? (piece.branches[0] ?? []) : [];
  if (piece.kind !== 'group' || others.length > 0 || only?.kind !== 'repeat' || only.most !== null) return piece;
  return { ...piece, branches: [[{ ...only, least: Math.max(1, only.least) }]] };
}
