import type { PresentDomain, Setting } from '../../model/desired.ts';
import { parseDomainName, quote } from '../../model/names.ts';
import { hasSetting, SETTINGS } from '../../model/resources.ts';
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
  const settings = SETTINGS.flatMap((name) => {
    const entry = domain.entries.get(name) ?? defaults.get(name);
    const setting = entry === undefined ? null : readSetting(name, entry, loading);
    if (entry === undefined || setting === null) return [];
    if (!hasSetting(version, name)) {
      reportNeedsV3(entry, loading);
      return [];
    }
    return [[name, setting] as const];
  });
  return Object.fromEntries(settings);
}

function readSetting(name: keyof Settings, { key, value }: Entry, loading: Loading): Setting | null {
  const text = textOf(value);
  if (value.kind !== 'text' || !text) return null;
  const source = sourceOf(key);
  if (text === 'none') return { value: null, source };
  const read = SETTING_READERS[name](value, loading);
  return read === null ? null : { value: read, source };
}

const SETTING_READERS: Readonly<Record<keyof Settings, (node: TextNode, loading: Loading) => string | null>> =
  { notification_email: readAddress, whitelabel: readHost, webhook: readHook };

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

function reportNeedsV3({ key }: Entry, { log }: Loading): void {
  log.report('needs-v3', key, {
    message: '`webhook` can be set through version 3 of the API only',
    hint: 'leave it out, or write `api: { version: v3 }`',
  });
}
