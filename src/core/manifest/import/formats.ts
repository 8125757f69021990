import { parseAliases } from './formats/aliases-file.ts';
import { parseCloudflare } from './formats/cloudflare.ts';
import { parseExim } from './formats/exim.ts';
import { parseForwardEmail } from './formats/forward-email.ts';
import { parsePostfix } from './formats/postfix.ts';
import { parsePostfixRegexp } from './formats/postfix-regexp.ts';
import { parseTable } from './formats/table-file.ts';
import type { ParseSource } from './source-format.ts';

/** The formats that can be imported, in the order of the help. */
export const SOURCE_FORMATS = {
  postfix: parsePostfix,
  'postfix-regexp': parsePostfixRegexp,
  aliases: parseAliases,
  exim: parseExim,
  table: parseTable,
  cloudflare: parseCloudflare,
  'forward-email': parseForwardEmail,
} as const satisfies Readonly<Record<string, ParseSource>>;

export type SourceFormat = keyof typeof SOURCE_FORMATS;
