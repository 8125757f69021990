import type { Buffer } from 'node:buffer';
import { headerFields } from '../headers.ts';
import PostalMime, { type Email } from 'postal-mime';

/** The parts of a mail that decide its route and name it in the log. */
export interface MailTextParts {
  /** The decoded subject. */
  readonly subject: string;
  /**
   * The decoded text, without line breaks at its end, because parts end with different numbers of them. Empty for a mail
   * with only HTML.
   */
  readonly body: string;
  /** The mailbox in `From`. Its address is empty if there is none. */
  readonly from: { readonly address: string; readonly name: string };
}

export type ParsedMail =
  | { readonly ok: true; readonly email: Email; readonly parts: MailTextParts }
  | { readonly ok: false; readonly reason: string };

/** Maximum depth of nested parts, far more than any mail program uses. */
const MAX_DEPTH = 100;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_FIELDS = 1000;
const MAX_LINE = 64 * 1024;

/** Parses a mail. Fails if its parts are nested too deeply or its headers are too large. */
export async function parseMail(raw: Buffer): Promise<ParsedMail> {
  const fault = shapeFault(raw);
  if (fault !== null) return { ok: false, reason: fault };
  try {
    const email = await PostalMime.parse(raw, {
      maxNestingDepth: MAX_DEPTH,
      maxHeadersSize: MAX_HEADER_BYTES,
    });
    const { subject = '', text = '', from } = email;
    return {
      ok: true,
      email,
      parts: {
        subject: withoutControls(subject),
        body: withoutLastBreaks(text),
        from: { address: from?.address ?? '', name: withoutControls(from?.name ?? '') },
      },
    };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns what makes a mail unreadable, or null. Libraries need quadratic time for such mails, and no mail program sends
 * them (RFC 5321: a line has 1000 bytes).
 */
function shapeFault(raw: Buffer): string | null {
  if (headerFields(raw).length > MAX_FIELDS) return `its header has more than ${MAX_FIELDS} fields`;
  for (let start = 0; start < raw.length;) {
    const end = raw.indexOf('\n', start);
    const stop = end === -1 ? raw.length : end;
    if (stop - start > MAX_LINE) return `a line is longer than ${MAX_LINE} bytes`;
    start = stop + 1;
  }
  return null;
}

function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

function withoutControls(text: string): string {
  return text.replaceAll(/[\u0000-\u001F\u007F]+/g, ' ');
}
