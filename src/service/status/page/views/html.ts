import { escapeInvisible } from '../../../../core/model/names.ts';

const MARKUP = Symbol('markup');

/** Markup in which every value is escaped. Only `html` creates it. */
export interface Html {
  readonly [MARKUP]: string;
}

/** Values allowed in a template. Text is escaped, markup is kept, and null adds nothing. */
type HtmlValue = Html | string | number | null | readonly HtmlValue[];

/**
 * Builds markup from values. There is no other way, because names, destinations and messages come from strangers.
 * Attributes must be in double quotes.
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
