/** Text that is HTML already. */
export interface MailHtml {
  readonly html: string;
}

type Insertion = string | number | MailHtml | readonly MailHtml[];

/** HTML in which every value is escaped, unless it was made by this very function: mail comes from anybody. */
export function markup(strings: TemplateStringsArray, ...values: readonly Insertion[]): MailHtml {
  const [first = '', ...rest] = strings;
  return { html: rest.reduce((text, next, index) => text + insert(values[index] ?? '') + next, first) };
}

function insert(value: Insertion): string {
  if (typeof value === 'object')
    return 'html' in value ? value.html : value.map((each) => each.html).join('');
  return String(value)
    .replaceAll(/[&<>"'`]/g, (character) => `&#${character.codePointAt(0)};`)
    .replaceAll(INVISIBLE, (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`);
}

/** What is not seen, or turns the direction of what follows; tabs and line breaks stay. */
const INVISIBLE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g;
