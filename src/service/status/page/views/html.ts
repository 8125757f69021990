import { escapeInvisible } from '../../../../core/model/names.ts';

const MARKUP = Symbol('markup');

/** Markup in which every value is escaped; `html` alone makes it. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What may stand in a template: text is escaped, markup stays, null is nothing. */
type HtmlValue = Html | string | number | null | readonly HtmlValue[];

/**
 * The only way from values to markup: names, destinations and messages come from strangers. Attributes must be written in
 * double quotes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { [MARKUP]: parts.reduce((text, part, index) => `${text}${show(values[index - 1])}${part}`) };
}

export function markupOf(markup: Html): string {
  return markup[MARKUP];
}

function show(value: HtmlValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return MARKUP in value ? value[MARKUP] : value.map(show).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeText(text: string): string {
  return escapeInvisible(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}
