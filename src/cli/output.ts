import { createHash } from 'node:crypto';
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

/** A document on standard output. */
export function printJson(context: Context, document: object): void {
  if (context.ofAccount !== undefined) return context.ofAccount.print(document);
  context.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
