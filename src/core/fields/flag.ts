import { succeed } from '../model/result.ts';
import { booleanOf } from '../manifest/read/node.ts';
import type { Codec } from './codec.ts';
import { booleanField } from './json.ts';

/** True or false. */
export const flag: Codec<boolean> = {
  isFlag: true,
  same: Object.is,
  show: (value) => value,
  sign: (value) => value,
  keep: (value) => value,
  isKept: (json) => typeof json === 'boolean',
  restore: (kept) => succeed(kept),
  encode: (value) => value,
  decode: booleanField,
  read: booleanOf,
  write: (value) => value,
};
