import { isScalar, isSeq } from 'yaml';
import type { YamlValue } from '../../model/manifest/manifest-document.ts';
import { createYaml, yamlText } from '../write/yaml-text.ts';

/** The surroundings of a value. Within brackets more characters need quotes. */
export type Surrounding = 'block' | 'flow';

/** Writes a value on one line; maps with spaces within their braces, lists without. */
export function flowText(value: YamlValue, surrounding: Surrounding): string {
  if (typeof value === 'string') return scalarText(value, surrounding);
  if (typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${value.map((item) => flowText(item, 'flow')).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, item]) => pairText(key, flowText(item, 'flow'), 'flow'));
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** Writes `key: value`, with quotes around the key if YAML needs them. */
export function pairText(key: string, value: string, surrounding: Surrounding): string {
  return `${scalarText(key, surrounding)}: ${value}`;
}

function isList(
  value: readonly YamlValue[] | { readonly [key: string]: YamlValue },
): value is readonly YamlValue[] {
  return Array.isArray(value);
}

/** Writes a scalar as the library does, on one line. */
function scalarText(text: string, surrounding: Surrounding): string {
  const document = createYaml(surrounding === 'flow' ? [text] : text);
  if (isSeq(document.contents)) document.contents.flow = true;
  if (isScalar(document.contents) && text.includes('\n')) document.contents.type = 'QUOTE_DOUBLE';
  const written = yamlText(document).trimEnd();
  return surrounding === 'flow' ? written.slice(1, -1) : written;
}
