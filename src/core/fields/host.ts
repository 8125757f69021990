import { parseDomainName } from '../model/names.ts';
import type { KeptText } from '../model/history/entries.ts';
import type { Codec } from './codec.ts';
import { oneOrNone } from './one-destination.ts';

/** A domain name or none. */
export const host: Codec<string | null, KeptText | null> = {
  ...oneOrNone((node, { log }) => {
    const parsed = parseDomainName(node.text);
    if (parsed.ok) return parsed.value;
    const { code, message, hint } = parsed.error;
    log.report(code, node, { message, hint: `${hint}; or none` });
    return null;
  }),
  same: (a, b) => (a ?? '').toLowerCase() === (b ?? '').toLowerCase(),
};
