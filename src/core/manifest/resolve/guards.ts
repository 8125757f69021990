import type { Allowance, DatedAllowance, GuardSettings } from '../../model/desired.ts';
import { normaliseDestination } from '../../model/destinations.ts';
import { isSection, sectionForms } from '../../kinds/registry.ts';
import { domainPartOf, localPartOf, parseDomainName } from '../../model/names.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { Loading } from './context.ts';
import { itemsOf, numberOf, textOf, valueOf, type MapNode, type Node } from '../read/node.ts';
import { sourceOf } from '../read/text.ts';

const KEYS = ['deletes', 'reroutes', 'domain_delete', 'empty', 'unrouted'] as const;

export function readGuards(guards: MapNode | null, loading: Loading): GuardSettings {
  const node = guards ?? undefined;
  const allow = valueOf(node, 'allow');
  const items = allow?.kind === 'list' ? itemsOf(allow) : [];
  return {
    maxDeletes: numberOf(valueOf(node, 'max_deletes')) ?? 25,
    maxDeletePercent: numberOf(valueOf(node, 'max_delete_percent')) ?? 20,
    allow: items
      .map((item) => (item.kind === 'map' ? readAllowance(item, loading) : null))
      .filter((allowance) => allowance !== null),
  };
}

function readAllowance(node: MapNode, { log }: Loading): DatedAllowance | null {
  const until = readDate(valueOf(node, 'until'), log);
  const stated = KEYS.filter((key) => node.entries.has(key));
  const [key] = stated;
  if (key === undefined || stated.length > 1) {
    log.report('invalid-allowance', node, {
      message: `an allowance must have \`until\` and exactly one of ${KEYS.join(', ')}`,
      hint: 'write one entry per allowance',
    });
    return null;
  }
  const value = valueOf(node, key);
  const parsed = value === undefined ? null : parseAllowance(key, value);
  if (value === undefined || parsed === null || until === null) return null;
  if (parsed.ok) return { allowance: parsed.value, until, source: sourceOf(node) };
  log.report('invalid-allowance', value, { message: `\`${key}\` cannot be read`, hint: parsed.error });
  return null;
}

/** Parses an allowance. Returns null if the schema has reported the value; the error says what to write. */
function parseAllowance(key: (typeof KEYS)[number], value: Node): Result<Allowance, string> | null {
  const text = textOf(value);
  if (!text) return null;
  switch (key) {
    case 'deletes':
    case 'reroutes': {
      const count = numberOf(value);
      return count === undefined ? null : succeed({ kind: key, count });
    }
    case 'domain_delete': {
      const domain = parseDomainName(text);
      return domain.ok ? succeed({ kind: 'domain-delete', domain: domain.value }) : fail(domain.error.hint);
    }
    case 'empty':
      return parseEmpty(text);
    case 'unrouted':
      return parseUnrouted(text);
  }
}

function parseEmpty(text: string): Result<Allowance, string> {
  const [host = '', section = ''] = text.split('/');
  const domain = parseDomainName(host);
  if (domain.ok && isSection(section)) {
    return succeed({ kind: 'empty', domain: domain.value, section });
  }
  return fail(`write ${sectionForms()}`);
}

function parseUnrouted(text: string): Result<Allowance, string> {
  if (localPartOf(text) === '' || !parseDomainName(domainPartOf(text)).ok)
    return fail('write a whole address, or *@DOMAIN');
  return succeed({ kind: 'unrouted', address: normaliseDestination(text) });
}

function readDate(written: Node | undefined, log: Loading['log']): string | null {
  const text = textOf(written);
  if (written === undefined || !text) return null;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text;
  log.report('invalid-date', written, {
    message: '`until` is not a date',
    hint: 'write the last day of the allowance, such as 2026-12-01',
  });
  return null;
}
