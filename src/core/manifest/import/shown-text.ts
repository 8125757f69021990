import { escapeInvisible } from '../../model/names.ts';
import type { Span } from './forwards.ts';

const MOST_SHOWN = 200;

/** Returns a source's text as it may be shown: on one line, escaped, cut, without possible passwords. */
export function shownText(text: string): string {
  const line = escapeInvisible(withoutSecrets(text).replace(/\s+/g, ' ').trim());
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN - 1)}…` : line;
}

export function textOfSpan({ within, offset, end }: Span): string {
  return shownText(within.text.slice(offset, Math.min(end, offset + 10 * MOST_SHOWN)));
}

/** Hides commands behind a `|`, and users, passwords and paths of web addresses. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(?<=^|[\s",:'])\|[^\n]*/gm, '|…')
    .replace(/(:\/\/)[^\s/?#,"']*@/g, '$1')
    .replace(/(:\/\/[^\s/?#,"']*)[/?#][^\s,"']*/g, '$1/…')
    .replace(/((?<![\w.@-])[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,})\/[^\s,"']+/gi, '$1/…');
}
