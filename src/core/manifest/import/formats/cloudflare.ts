import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { LeftOutReason, ParsedSource, Target } from '../forwards.ts';
import {
  addressOfKey,
  collectEntries,
  hasPlainCase,
  missingLocalDomain,
  type SourceContext,
  type SourceFault,
} from '../source-format.ts';
import { addressTarget } from '../read/addresses.ts';
import { keysOfAddress } from '../read/row-keys.ts';
import { broken, readJsonRows, type TableRow } from '../read/rows.ts';

/** Parses the rules of Email Routing as its API prints them, or the catch-all rule alone. */
export function parseCloudflare(
  within: SourceText,
  { localDomains }: SourceContext,
): Result<ParsedSource, SourceFault> {
  const read = readJsonRows(within);
  if (!read.ok) return read;
  const { rows } = read.value;
  if (
    !rows.every(({ cells }) => Array.isArray(cells.get('matchers')) && Array.isArray(cells.get('actions')))
  ) {
    return fail(
      broken(within, 0, 'these are not rules of Email Routing: matchers or actions are missing', HINT),
    );
  }
  const found = collectEntries();
  for (const { span, cells } of rows) {
    const address = matchedAddress(cells);
    const reason = whyLeftOut(cells, address);
    if (address === null || reason !== null) {
      found.leaveOut(span, address, reason ?? 'pattern');
      continue;
    }
    const keys = keysOfAddress(address, localDomains);
    if (keys.length === 0) return fail(missingLocalDomain(span));
    for (const key of keys) {
      const domain = key.slice(key.lastIndexOf('@') + 1);
      if (hasPlainCase(key)) found.add(key, { span, targets: targetsOf(cells, domain) });
      else found.leaveOut(span, addressOfKey(key), 'name');
    }
  }
  return succeed({
    lookups: [{ kind: 'names', entries: found.entries }],
    leftOut: found.leftOut,
    domains: [],
  });
}

const HINT = 'give the answer of GET /zones/ZONE/email/routing/rules';

type Cells = TableRow['cells'];

/** Returns the address of a rule, `*` for the catch-all; null for a rule with other conditions. */
function matchedAddress(cells: Cells): string | null {
  const [matcher, ...others] = partsOf(cells, 'matchers');
  if (matcher === undefined || others.length > 0) return null;
  if (matcher['type'] === 'all') return '*';
  const { type, field, value } = matcher;
  return type === 'literal' && field === 'to' && typeof value === 'string' && value !== '' ? value : null;
}

function whyLeftOut(cells: Cells, address: string | null): LeftOutReason | null {
  if (cells.get('enabled') === false) return 'disabled';
  if (address === null) return 'pattern';
  const kinds = partsOf(cells, 'actions').map(({ type }) => type);
  if (kinds.length === 0) return 'syntax';
  return kinds.every((kind) => kind === 'worker') ? 'worker' : null;
}

function targetsOf(cells: Cells, domain: string): readonly Target[] {
  return partsOf(cells, 'actions').flatMap(({ type, value }): readonly Target[] => {
    if (type === 'drop') return [{ kind: 'discard' }];
    if (type === 'worker') return [{ kind: 'lost', reason: 'worker' }];
    const addresses: readonly unknown[] = type === 'forward' && Array.isArray(value) ? value : [null];
    return addresses.map((address) =>
      typeof address === 'string' ? addressTarget(address, domain) : { kind: 'lost', reason: 'syntax' },
    );
  });
}

function partsOf(cells: Cells, name: 'matchers' | 'actions'): readonly Readonly<Record<string, unknown>>[] {
  const parts = cells.get(name);
  return Array.isArray(parts) ? parts.filter((part) => typeof part === 'object' && part !== null) : [];
}
