import { domainToASCII } from 'node:url';
import { fail, succeed, type Result } from './result.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A domain in lower-case ASCII (IDNA, UTS 46) form. */
export type DomainName = Branded<'DomainName'>;
/** The name of an alias: a local part, `*` or a regular expression; NFC, spelled as written. */
export type AliasName = Branded<'AliasName'>;
/** The user name of an SMTP credential; NFC, spelled as written. */
export type CredentialName = Branded<'CredentialName'>;
/** The key that names are compared by: NFC without case. The live spelling is kept. */
export type NameKey = Branded<'NameKey'>;

/** The reason why a name is invalid. `code` is a problem code. */
export interface NameFault {
  readonly code: 'invalid-domain' | 'invalid-name' | 'invalid-character';
  readonly message: string;
  readonly hint: string;
}

const MAX_NAME_LENGTH = 150;
const REGEX_CHARACTERS = /[()[\]{}|\\+^$]/;
/** Regex characters without the plus, which alone only begins a label. */
const PATTERN_CHARACTERS = /[()[\]{}|\\^$]/;
/** Matches anything but printable ASCII in lower case. Few names match, which matters at a million aliases. */
const CHANGED_BY_KEY = /[^!-@[-~]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Matches nearly every name, which matters at a million aliases. */
const USUAL_NAME = /^[\w+-][\w.+-]{0,149}$/;
const FORBIDDEN_IN_NAME = /[/#@,%]/;
/** Matches nearly every text. Compiling Unicode classes takes a millisecond, so only other texts pay for it. */
const PRINTABLE_ASCII = /^[ -~]*$/;

export function parseDomainName(text: string): Result<DomainName, NameFault> {
  const invisible = findInvisible(text);
  if (invisible !== null) return fail(invisibleFault('domain', text, invisible));
  const ascii = domainToASCII(text.normalize('NFC')).toLowerCase();
  const labels = ascii.split('.');
  const valid = labels.length >= 2 && ascii.length <= 253 && labels.every((label) => LABEL.test(label));
  if (valid && !/^\d+$/.test(labels.at(-1) ?? '')) return succeed(ascii as DomainName);
  return fail({
    code: 'invalid-domain',
    message: `${quote(text)} is not a domain name`,
    hint: 'write a full name such as acme.example: letters, digits and hyphens in labels separated by dots',
  });
}

/** Parses the name of an alias (v4: Aliases). The limits are those of the manifest language. */
export function parseAliasName(text: string): Result<AliasName, NameFault> {
  if (USUAL_NAME.test(text)) return succeed(text as AliasName);
  const fault = findNameFault('alias', text);
  if (fault !== null) return fail(fault);
  if (text.includes('?') && !looksLikeRegex(text)) {
    return fail(nameFault('alias', text, 'has a ?', 'only a regular expression may have a ?'));
  }
  return succeed(text.normalize('NFC') as AliasName);
}

/** Parses the name of a credential (v4: SMTP credentials). Regular expressions are not allowed. */
export function parseCredentialName(text: string): Result<CredentialName, NameFault> {
  const fault = findNameFault('credential', text);
  if (fault !== null) return fail(fault);
  if (/[?*]/.test(text) || isPatternName(text)) {
    const why = 'reads as a regular expression';
    return fail(nameFault('credential', text, why, 'name one local part, such as printer'));
  }
  return succeed(text.normalize('NFC') as CredentialName);
}

/** True if an alias name is a regular expression rather than a local part or `*`. */
export function looksLikeRegex(name: string): boolean {
  return REGEX_CHARACTERS.test(name);
}

/** True if an alias name is a pattern and not an address. */
export function isPatternName(name: string): boolean {
  return PATTERN_CHARACTERS.test(name);
}

/**
 * True if a name that is not a regular expression may still be a pattern. The API does not define how the service
 * reads `sales.*`.
 */
export function mayBePattern(name: string): boolean {
  return name !== '*' && /[*?]/.test(name) && !looksLikeRegex(name);
}

/** True if an alias of this name takes, or may take, mail to other addresses. */
export function takesOthers(name: string): boolean {
  return name === '*' || looksLikeRegex(name) || mayBePattern(name);
}

/** Returns the text before the last `@` of an address; empty if there is no `@`. */
export function localPartOf(address: string): string {
  return address.slice(0, Math.max(address.lastIndexOf('@'), 0));
}

/** Returns the text after the last `@` of an address; the whole text if there is no `@`. */
export function domainPartOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

export function nameKey(name: string): NameKey {
  if (!CHANGED_BY_KEY.test(name)) return name as NameKey;
  return name.normalize('NFC').toLowerCase() as NameKey;
}

/** Returns the first character that is invisible or has an invisible effect; null if there is none. */
export function findInvisible(text: string): string | null {
  if (PRINTABLE_ASCII.test(text)) return text.includes(' ') ? ' ' : null;
  return /[\p{C}\p{Z}\u115f\u1160\u3164\uffa0]/u.exec(text)?.[0] ?? null;
}

/** Quotes a text for people: in double quotes, with every invisible character as its code point. */
export function quote(text: string): string {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return `"${escapeInvisible(shown)}"`;
}

/**
 * Shows invisible characters other than spaces as code points, so that a name cannot forge output. Also escapes text
 * that GitHub Actions would run as a command: `::` at the start of a line or word, and `##[` anywhere in a line.
 */
export function escapeInvisible(text: string): string {
  const visible = PRINTABLE_ASCII.test(text)
    ? text
    : text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `<${codePoint(character)}>`);
  return visible.replace(/(?<=^|\s):(?=:)/g, '<U+003A>').replaceAll('##[', '##<U+005B>');
}

/** Escapes invisible characters in JSON. Terminals obey some that JSON allows unescaped. */
export function escapeJson(json: string): string {
  return json.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, escapeUnits);
}

/** Writes a character as `\uXXXX`. A character above U+FFFF becomes two of them. */
export function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${hexadecimal(character.charCodeAt(at), 4)}`,
  ).join('');
}

/** Escapes invisible characters, which the YAML has only in double quotes. Above U+FFFF they become `\UXXXXXXXX`. */
export function escapeYaml(yaml: string): string {
  return yaml.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character.length === 1 ? escapeUnits(character) : `\\U${hexadecimal(character.codePointAt(0) ?? 0, 8)}`,
  );
}

function hexadecimal(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** Counts a noun: `1 alias`, `2 aliases`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}

/**
 * Returns the number of letters to insert, delete, replace or swap with their neighbour to turn one text into the
 * other (optimal string alignment). Above `most`, returns any number above `most`.
 */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let line = 1; line <= a.length; line += 1) {
    const next = nextDistances(a, b, line, [last, beforeLast]);
    if (Math.min(...next) > most && Math.min(...last) > most) return most + 1;
    beforeLast = last;
    last = next;
  }
  return last[b.length] ?? 0;
}

/**
 * Returns the distances between the first `line` letters of `a` and every prefix of `b`. The last parameter holds the
 * distances for one letter less and for two.
 */
function nextDistances(
  a: string,
  b: string,
  line: number,
  [last, beforeLast]: readonly [readonly number[], readonly number[]],
): readonly number[] {
  const next = [line];
  for (let column = 1; column <= b.length; column += 1) {
    const replaced = (last[column - 1] ?? 0) + Number(a[line - 1] !== b[column - 1]);
    const least = Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, replaced);
    const isSwap = line > 1 && a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1];
    next.push(isSwap ? Math.min(least, (beforeLast[column - 2] ?? 0) + 1) : least);
  }
  return next;
}

function findNameFault(kind: string, text: string): NameFault | null {
  const invisible = findInvisible(text);
  if (invisible !== null) return invisibleFault(kind, text, invisible);
  if (text === '') return nameFault(kind, text, 'is empty', `give the ${kind} a name`);
  if (text.length > MAX_NAME_LENGTH) {
    return nameFault(kind, text, `is longer than ${MAX_NAME_LENGTH} characters`, 'shorten it');
  }
  if (text === '.' || text === '../..')
    return nameFault(kind, text, 'would change the path of a request', 'rename it');
  const forbidden = FORBIDDEN_IN_NAME.exec(text)?.[0];
  if (forbidden === undefined) return null;
  const hint = forbidden === '@' ? 'write only the part before the @' : 'leave the character out';
  return nameFault(kind, text, `contains ${forbidden}`, hint);
}

function nameFault(kind: string, text: string, why: string, hint: string): NameFault {
  return { code: 'invalid-name', message: `${kind} name ${quote(text)} ${why}`, hint };
}

function invisibleFault(kind: string, text: string, character: string): NameFault {
  if (character === ' ')
    return {
      code: 'invalid-character',
      message: `${kind} name ${quote(text)} contains a space`,
      hint: 'delete the space',
    };
  return {
    code: 'invalid-character',
    message: `${kind} name ${quote(text)} contains the invisible character ${codePoint(character)}`,
    hint: 'delete the character and type the name again',
  };
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
