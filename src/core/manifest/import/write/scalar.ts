import { escapeJson } from '../../../model/names.ts';

/** Words that some YAML parser reads as a boolean or null. */
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
const PLAIN = /^[a-z][\w.+-]*(?:@[\w.-]*\w)?$/i;

/** Writes a text in YAML: plain if every parser reads it as text, otherwise in double quotes. */
export function scalar(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) ? text : escapeJson(JSON.stringify(text));
}

/** Writes one destination, or a list on one line. */
export function forwardText(forward: readonly string[]): string {
  const texts = forward.map(scalar);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
