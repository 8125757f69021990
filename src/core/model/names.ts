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
/** What names are compared by: NFC without case. The live spelling stays. */
export type NameKey = Branded<'NameKey'>;

/** Why a name cannot be one. `code` is a problem code. */
export interface NameFault {
  readonly code: 'invalid-domain' | 'invalid-name' | 'invalid-character';
  readonly message: string;
  readonly hint: string;
}

const MAX_NAME_LENGTH = 150;
const REGEX_CHARACTERS = /[()[\]{}|\\+^$]/;
/** Anything but printable ASCII in lower case: nearly no name, which matters at a million aliases. */
const CHANGED_BY_KEY = /[^!-@[-~]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Nearly every name, which matters at a million aliases. */
const USUAL_NAME = /^[\w+-][\w.+-]{0,149}$/;
const FORBIDDEN_IN_NAME = /[/#@,%]/;
/** Nearly every text: classes of Unicode take a millisecond to compile, so that they are only made for others. */
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

/** v4: Aliases; the bounds are those of the manifest language. */
export function parseAliasName(text: string): Result<AliasName, NameFault> {
  if (USUAL_NAME.test(text)) return succeed(text as AliasName);
  const fault = findNameFault('alias', text);
  if (fault !== null) return fail(fault);
  if (text.includes('?') && !looksLikeRegex(text)) {
    return fail(nameFault('alias', text, 'has a ?', 'a ? may stand only in a regular expression'));
  }
  return succeed(text.normalize('NFC') as AliasName);
}

/** v4: SMTP credentials; regular expressions are not names of credentials. */
export function parseCredentialName(text: string): Result<CredentialName, NameFault> {
  const fault = findNameFault('credential', text);
  if (fault !== null) return fail(fault);
  if (/[?*]/.test(text) || REGEX_CHARACTERS.test(text.replaceAll('+', ''))) {
    const why = 'reads as a regular expression';
    return fail(nameFault('credential', text, why, 'name one local part, such as printer'));
  }
  return succeed(text.normalize('NFC') as CredentialName);
}

/** Whether an alias name is a regular expression rather than a local part or `*`. */
export function looksLikeRegex(name: string): boolean {
  return REGEX_CHARACTERS.test(name);
}

/** True if the name of an alias is a pattern and no address: a plus alone begins a label. */
export function isPatternName(name: string): boolean {
  return looksLikeRegex(name.replaceAll('+', ''));
}

/** Whether a name that is no regular expression may still be a pattern: what the service makes of `sales.*` is not known. */
export function mayBePattern(name: string): boolean {
  return name !== '*' && /[*?]/.test(name) && !looksLikeRegex(name);
}

/** Whether an alias of this name takes, or may take, mail to other addresses than its own. */
export function takesOthers(name: string): boolean {
  return name === '*' || looksLikeRegex(name) || mayBePattern(name);
}

/** What stands before the last `@` of an address; nothing where there is none. */
export function localPartOf(address: string): string {
  return address.slice(0, Math.max(address.lastIndexOf('@'), 0));
}

/** What stands after the last `@` of an address; the whole text where there is none. */
export function domainPartOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

export function nameKey(name: string): NameKey {
  if (!CHANGED_BY_KEY.test(name)) return name as NameKey;
  return name.normalize('NFC').toLowerCase() as NameKey;
}

/** The first character that cannot be seen, or whose effect cannot; null when there is none. */
export function findInvisible(text: string): string | null {
  if (PRINTABLE_ASCII.test(text)) return text.includes(' ') ? ' ' : null;
  return /[\p{C}\p{Z}\u115f\u1160\u3164\uffa0]/u.exec(text)?.[0] ?? null;
}

/** Text for people: in double quotes, with every invisible character as its code point. */
export function quote(text: string): string {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return `"${escapeInvisible(shown)}"`;
}

/**
 * Shows what cannot be seen, spaces aside, as its code point, so that no output can be forged by a name. The same for
 * what GitHub Actions would run as a command: `::` where a line could begin, and `##[` anywhere in a line.
 */
export function escapeInvisible(text: string): string {
  const visible = PRINTABLE_ASCII.test(text)
    ? text
    : text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `<${codePoint(character)}>`);
  return visible.replace(/(?<=^|\s):(?=:)/g, '<U+003A>').replaceAll('##[', '##<U+005B>');
}

/** JSON in which every character that cannot be seen is an escape of JSON: a terminal obeys some that JSON allows. */
export function escapeJson(json: string): string {
  return json.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, escapeUnits);
}

/** Writes a character as `\uXXXX`, beyond 16 bits as two of them. */
export function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${hexadecimal(character.charCodeAt(at), 4)}`,
  ).join('');
}

/** The same of YAML, where such characters stand in double quotes alone; those beyond 16 bits have an escape of their own. */
export function escapeYaml(yaml: string): string {
  return yaml.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character.length === 1 ? escapeUnits(character) : `\\U${hexadecimal(character.codePointAt(0) ?? 0, 8)}`,
  );
}

function hexadecimal(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** `1 alias`, `2 aliases`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}

/**
 * Letters to insert, delete, replace or swap with their neighbour to turn one text into the other (optimal string
 * alignment). Where it is more than `most`, any number above that.
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

/** Distances of the first `line` letters of `a` from every beginning of `b`; `before`: those of one letter less, and of two. */
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
    message: `${kind} name ${quote(text)} contains ${codePoint(character)}, which is invisible`,
    hint: 'delete the character and type the name again',
  };
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
