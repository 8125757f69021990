import { fail } from '../model/result.ts';
import type { Codec } from './codec.ts';

/** A password. Nothing of it can be read, and no plan, history or report has its value. */
export const password: Codec<'set', never> = {
  isSecret: true,
  same: () => true,
  show: () => undefined,
  sign: () => undefined,
  keep: () => undefined,
  isKept: () => true,
  restore: () => fail({ shown: 'its password', print: '' }),
  encode: (value) => value,
  decode: () => 'set',
  read: () => undefined,
  write: () => [],
};
