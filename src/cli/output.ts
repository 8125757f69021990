import { createHash, createHmac } from 'node:crypto';
import type { Desired } from '../model/desired.ts';
import type { Disclosure } from '../model/disclosure.ts';
import type { Context } from './context.ts';
import { wantsMask, type CommonOptions } from './settings.ts';

/** What of destinations this command may show. */
export function disclosureOf(
  desired: Pick<Desired, 'references'>,
  options: CommonOptions,
  context: Context,
): Disclosure {
  return { references: desired.references, mask: wantsMask(options, context) };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The same, keyed: only who has the key can make it, or try what it was made of. */
export function hmacWith(key: string): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}

/** A document on standard output. */
export function printJson(context: Context, document: object): void {
  if (context.ofAccount !== undefined) return context.ofAccount.print(document);
  context.stdout.write(`${visibleJson(document)}\n`);
}

/** JSON in which every character that cannot be seen is an escape of JSON: a terminal obeys some that JSON allows. */
function visibleJson(document: object): string {
  const escape = (character: string): string =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
  return JSON.stringify(document, null, 2).replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, escape);
}
