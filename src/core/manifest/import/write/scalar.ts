import { escapeJson } from '../../../model/names.ts';

/** Words that some reader of YAML takes for a boolean or for nothing. */
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
const PLAIN = /^[a-z][\w.+-]*(?:@[\w.-]*\w)?$/i;

/** A text in YAML: as it is where no reader can take it for anything else, else in double quotes. */
export function scalar(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) ? text : escapeJson(JSON.stringify(text));
}

/** One destination, or a list on one line. */
export function forwardText(forward: readonly string[]): string {
  const texts = forward.map(scalar);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
