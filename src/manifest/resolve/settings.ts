import type { PresentDomain, Setting } from '../../model/desired.ts';
import { parseDomainName, quote } from '../../model/names.ts';
import type { Definitions } from './assemble.ts';
import type { Loading } from './context.ts';
import { parseDestination, parseWebhook } from './values/destination-text.ts';
import { textOf, type Entry, type MapNode, type TextNode } from '../read/node.ts';
import { sourceOf } from '../read/text.ts';

type Settings = PresentDomain['settings'];

/** The settings of a domain, its own or those of `defaults`; `none` asks for no value. */
export function readSettings(
  domain: MapNode,
  defaults: Definitions,
  version: 'v4' | 'v3',
  loading: Loading,
): Settings {
  const notification = readSetting('notification_email', domain, defaults, loading, readAddress);
  const whitelabel = readSetting('whitelabel', domain, defaults, loading, readHost);
  const hook = readSetting('webhook', domain, defaults, loading, readHook);
  const webhook = hook === null || isNeedless(domain, defaults, version, loading) ? null : hook;
  return {
    ...(notification === null ? {} : { notification_email: notification }),
    ...(whitelabel === null ? {} : { whitelabel }),
    ...(webhook === null ? {} : { webhook }),
  };
}

function readSetting(
  name: keyof Settings,
  domain: MapNode,
  defaults: Definitions,
  loading: Loading,
  read: (node: TextNode, loading: Loading) => string | null,
): Setting | null {
  const entry = domain.entries.get(name) ?? defaults.get(name);
  const text = textOf(entry?.value);
  if (entry?.value.kind !== 'text' || !text) return null;
  const source = sourceOf(entry.key);
  if (text === 'none') return { value: null, source };
  const value = read(entry.value, loading);
  return value === null ? null : { value, source };
}

function readAddress(node: TextNode, { log }: Loading): string | null {
  const parsed = node.text.includes('://') ? null : parseDestination(node.text);
  if (parsed?.ok) return parsed.value.destination;
  log.report('invalid-address', node, {
    message: `${quote(node.text)} is not one email address`,
    hint: 'write name@domain.example, or none',
  });
  return null;
}

function readHost(node: TextNode, { log }: Loading): string | null {
  const parsed = parseDomainName(node.text);
  if (parsed.ok) return parsed.value;
  log.report(parsed.error.code, node, {
    message: parsed.error.message,
    hint: `${parsed.error.hint}; or none`,
  });
  return null;
}

function readHook(node: TextNode, { log }: Loading): string | null {
  const parsed = parseWebhook(node.text);
  if (!parsed.ok) {
    log.report(parsed.error.code, node, {
      message: `${parsed.error.message}: ${quote(node.text)}`,
      hint: parsed.error.hint,
    });
    return null;
  }
  if (parsed.value.warning !== null) log.report(parsed.value.warning.code, node, parsed.value.warning);
  return parsed.value.destination;
}

function isNeedless(domain: MapNode, defaults: Definitions, version: 'v4' | 'v3', { log }: Loading): boolean {
  if (version === 'v3') return false;
  const entry: Entry | undefined = domain.entries.get('webhook') ?? defaults.get('webhook');
  if (entry === undefined) return false;
  log.report('needs-v3', entry.key, {
    message: '`webhook` can be set through version 3 of the API only',
    hint: 'leave it out, or write `api: { version: v3 }`',
  });
  return true;
}
