/** Text that is already HTML. */
export interface MailHtml {
  readonly html: string;
}

type Insertion = string | number | MailHtml | readonly MailHtml[];

/** Returns HTML with every value escaped, unless this function produced the value. Mail comes from untrusted senders. */
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

/** Characters that are invisible or change the direction of the text after them. Tabs and line breaks are kept. */
const INVISIBLE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g;
