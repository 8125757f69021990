import type { PresentDomain } from '../../model/desired.ts';
import type { ApiVersion } from '../../model/endpoints.ts';
import { SETTINGS } from '../../kinds/domain/fields.ts';
import type { Definitions } from './assemble.ts';
import type { Loading } from './context.ts';
import type { Entry, MapNode } from '../read/node.ts';
import { sourceOf } from '../read/text.ts';

/** Reads the settings of a domain: its own, else those of `defaults`. */
export function readSettings(
  domain: MapNode,
  defaults: Definitions,
  version: ApiVersion,
  loading: Loading,
): PresentDomain['settings'] {
  const settings = Object.entries(SETTINGS).flatMap(([name, { codec, only = version }]) => {
    const entry = domain.entries.get(name) ?? defaults.get(name);
    const value = entry === undefined ? undefined : codec.read(entry.value, loading);
    if (entry === undefined || value === undefined) return [];
    if (only === version) return [[name, { value, source: sourceOf(entry.key) }] as const];
    reportNeeds(only, entry, loading);
    return [];
  });
  return Object.fromEntries(settings);
}

function reportNeeds(only: ApiVersion, { key }: Entry, { log }: Loading): void {
  log.report(`needs-${only}`, key, {
    message: `only version ${only.slice(1)} of the API can set \`${key.text}\``,
    hint: `leave it out, or write \`api: { version: ${only} }\``,
  });
}
