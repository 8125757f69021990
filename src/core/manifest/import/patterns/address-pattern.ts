import { parseDomainName, type DomainName } from '../../../model/names.ts';
import type { LocalPattern } from '../forwards.ts';
import { hasLetters, hasUncertainGroups, localPattern } from './local-pattern.ts';
import { parsePieces, type Branch, type Piece } from './parse-pattern.ts';

/** A regular expression for whole addresses, of one domain. */
export interface AddressPattern {
  readonly pattern: LocalPattern;
  /** The pattern with at least one character in groups such as `(.*)`; null if that cannot be written. */
  readonly filled: LocalPattern | null;
  readonly domain: string;
  readonly matchesDomain: (domain: string) => boolean;
  /** The group that holds the domain; null if there is none. */
  readonly domainGroup: number | null;
  /** False if the content of groups depends on the kind of regular expression. */
  readonly hasCertainGroups: boolean;
}

/**
 * Parses a regular expression whose part after `@` names one domain; null if it has another form or is case-sensitive.
 */
export function parseAddressPattern(source: string, letterCase: 'exact' | 'any'): AddressPattern | null {
  const split = splitAtSign(source);
  const domain = split === null ? null : readDomain(split.domain);
  const pattern = split === null ? null : localPattern(split.local);
  if (split === null || domain === null || pattern === null) return null;
  if (letterCase === 'exact' && hasLetters(pattern)) return null;
  return {
    pattern,
    filled: localPattern(split.local.map(filledGroup)),
    domain: domain.name,
    matchesDomain: domain.matches,
    domainGroup: domain.isGroup ? pattern.groups + 1 : null,
    hasCertainGroups: !hasUncertainGroups(split.local),
  };
}

/** Splits an expression at its last `@`; null if it has alternatives or no `@`. */
function splitAtSign(source: string): { readonly local: Branch; readonly domain: Branch } | null {
  const [branch = [], ...others] = parsePieces(source) ?? [];
  const at = branch.findLastIndex((piece) => piece.kind === 'character' && piece.text === '@');
  if (at < 0 || others.length > 0) return null;
  return { local: branch.slice(0, at), domain: branch.slice(at + 1) };
}

interface DomainPart {
  readonly name: DomainName;
  readonly isGroup: boolean;
  readonly matches: (domain: string) => boolean;
}

/** Reads the part of an expression that names one domain, with or without escaped dots. */
function readDomain(pieces: Branch): DomainPart | null {
  const isEnded = pieces.at(-1)?.kind === 'end';
  const { inner, isGroup } = withoutGroup(isEnded ? pieces.slice(0, -1) : pieces);
  const characters = inner.map(characterOf).filter((character) => character !== null);
  const text = characters.join('').replaceAll(ANY, '.').toLowerCase();
  const domain = parseDomainName(text);
  if (characters.length < inner.length || !domain.ok || domain.value !== text) return null;
  const source = characters.map((character) => (character === ANY ? '.' : quoteCharacter(character)));
  const expression = new RegExp(`^${source.join('')}${isEnded ? '$' : ''}`, 'i');
  return { name: domain.value, isGroup, matches: (name) => expression.test(name) };
}

function withoutGroup(pieces: Branch): { readonly inner: Branch; readonly isGroup: boolean } {
  const [only] = pieces;
  if (pieces.length !== 1 || only?.kind !== 'group' || only.branches.length !== 1) {
    return { inner: pieces, isGroup: false };
  }
  return { inner: only.branches[0] ?? [], isGroup: only.isCapture };
}

/** A placeholder for any character; no domain contains it. */
const ANY = '\n';

function characterOf(piece: Piece): string | null {
  if (piece.kind === 'any') return ANY;
  return piece.kind === 'character' ? piece.text : null;
}

function quoteCharacter(character: string): string {
  return character.replace(/[\\^$.|?*+()[\]{}/-]/, String.raw`\$&`);
}

/** Changes a group of an optional repetition so that it repeats at least once. */
function filledGroup(piece: Piece): Piece {
  if (piece.kind !== 'group' || piece.branches.length !== 1) return piece;
  const [only, ...others] = piece.branches[0] ?? [];
  if (others.length > 0 || only?.kind !== 'repeat' || only.most !== null) return piece;
  return { ...piece, branches: [[{ ...only, least: Math.max(1, only.least) }]] };
}
