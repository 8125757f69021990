import type { Reference } from '../model/destinations.ts';
import { fail } from '../model/result.ts';
import type { Node } from '../manifest/read/node.ts';
import type { Loading } from '../manifest/resolve/context.ts';
import { readReference, refusalOf } from '../manifest/resolve/values/references.ts';
import type { Codec } from './codec.ts';

/**
 * A password: the manifest's reference to it, the text that is sent, or the fact that one exists (`set`). It cannot be
 * read back. No plan, history or report has its value.
 */
export const password: Codec<string | Reference, never> = {
  isSecret: true,
  same: () => true,
  show: () => undefined,
  sign: () => undefined,
  digest: (value) => (typeof value === 'string' ? null : value.shown),
  keep: () => undefined,
  isKept: () => true,
  restore: () => fail({ shown: 'the password', print: '' }),
  encode: (value) => value,
  decode: () => 'set',
  read: readPassword,
  write: () => [],
};

function readPassword(written: Node, { options, log }: Loading): Reference | undefined {
  const reference = readReference(written, options);
  if (reference === null) return undefined;
  // Passwords are resolved only when they will be sent. A check may only report what is missing.
  const value = options.references === 'optional' ? options.resolve(reference) : reference.shown;
  if (typeof value === 'string' && value !== '') return reference;
  log.report('reference-not-set', written, {
    message: refusalOf(reference, value) ?? `${reference.shown} is not set`,
    hint: 'apply needs it when the password is to be sent',
  });
  return reference;
}
