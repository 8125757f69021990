import { succeed } from '../model/result.ts';
import type { Codec } from './codec.ts';
import { numberField } from './json.ts';

/** A place in the order of evaluation. A manifest states the order, not ranks. */
export const rank: Codec<number> = {
  same: Object.is,
  showsAs: keepsDigitsOf,
  show: (value) => value,
  sign: () => undefined,
  keep: (value) => value,
  isKept: (json) => typeof json === 'number',
  restore: (kept) => succeed(kept),
  encode: (value) => value,
  decode: numberField,
  read: () => undefined,
  write: String,
};

/** True if the service may have kept fewer digits of a rank than were sent. */
function keepsDigitsOf(sent: number, shown: number): boolean {
  if (Object.is(sent, shown)) return true;
  const digits = /\.(\d+)$/.exec(String(shown))?.[1]?.length ?? 0;
  return Number.isFinite(sent) && digits < 20 && Number(sent.toFixed(digits)) === shown;
}
