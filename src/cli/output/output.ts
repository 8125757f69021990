import { createHash } from 'node:crypto';
import type { Desired } from '../../model/desired.ts';
import type { Disclosure, MaskNumbers } from '../../model/destinations.ts';
import type { Context } from '../context.ts';
import type { OutputStream } from '../standard-output.ts';
import { wantsMask, type CommonOptions } from '../settings.ts';

/** What of destinations this command may show. */
export function disclosureOf(
  desired: Pick<Desired, 'references'>,
  options: CommonOptions,
  context: Context,
): Disclosure {
  return { references: desired.references, mask: maskOf(options, context) };
}

/** One numbering for all that a command prints, on both streams. */
const numbered = new WeakMap<Context, MaskNumbers>();

/** What `--mask` asks for. */
export function maskOf(options: CommonOptions, context: Context): Disclosure['mask'] {
  if (!wantsMask(options, context)) return false;
  const numbers: MaskNumbers = numbered.get(context) ?? new Map();
  numbered.set(context, numbers);
  return numbers;
}

/** Width to keep text to; a terminal that says 0 does not know its own. */
export function columnsOf({ columns }: Pick<OutputStream, 'columns'>): number {
  return columns || 80;
}

/** Width to break sentences at: what is no terminal gets them whole. */
export function sentenceColumns(stream: OutputStream): number {
  return stream.isTTY === true ? columnsOf(stream) : Infinity;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A document on standard output. */
export function printJson(context: Context, document: object): void {
  if (context.ofAccount !== undefined) return context.ofAccount.report({ document });
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
