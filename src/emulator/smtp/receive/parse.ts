import type { Buffer } from 'node:buffer';
import { headerFields } from '../headers.ts';
import PostalMime, { type Email } from 'postal-mime';

/** What of a mail decides its way, and names it in the log. */
export interface MailTextParts {
  /** Decoded. */
  readonly subject: string;
  /** The text as decoded, without the line breaks at its end, of which parts have more or less; empty where a mail has HTML alone. */
  readonly body: string;
  /** Of `From`; an empty address where there is none. */
  readonly from: { readonly address: string; readonly name: string };
}

export type ParsedMail =
  | { readonly ok: true; readonly email: Email; readonly parts: MailTextParts }
  | { readonly ok: false; readonly reason: string };

/** Parts in parts: far more than any mail program makes. */
const MAX_DEPTH = 100;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_FIELDS = 1000;
const MAX_LINE = 64 * 1024;

/** Reads a mail. Fails where its parts are nested too deeply, or its headers are too large. */
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

/** Libraries take the square of the time for these; no mail program sends them (RFC 5321: a line has 1000 bytes). */
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
