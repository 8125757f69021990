import { Buffer } from 'node:buffer';
import PostalMime, { type Attachment } from 'postal-mime';
import { headerFields, headerLength, headerValue } from '../headers.ts';

/** A part of a mail that has no nested parts. */
export type LeafPart =
  | { readonly kind: 'text' | 'html'; readonly text: string }
  | { readonly kind: 'inline' | 'attachment'; readonly file: Attachment; readonly content: string };

/** Reads the parts of a mail that have no nested parts, in order. */
export async function readLeafParts(raw: Buffer): Promise<readonly LeafPart[]> {
  const parts: LeafPart[] = [];
  for (const leaf of leavesOf(raw)) {
    const { text, html, attachments } = await PostalMime.parse(leaf, { forceRfc822Attachments: true });
    if (html !== undefined) parts.push({ kind: 'html', text: html });
    else if (text !== undefined) parts.push({ kind: 'text', text });
    for (const file of attachments) {
      const kind = isInline(file) ? 'inline' : 'attachment';
      parts.push({ kind, file, content: contentOf(file, leaf) });
    }
  }
  return parts;
}

function leavesOf(raw: Buffer): readonly Buffer[] {
  const type = fieldOf(raw, 'content-type');
  const [, quoted, plain] =
    /^multipart\/[^;]*;.*?\bboundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/is.exec(type) ?? [];
  const boundary = quoted ?? plain;
  return boundary === undefined ? [raw] : bodyParts(raw, boundary).flatMap(leavesOf);
}

/** Returns the contents between the boundary lines. */
function bodyParts(raw: Buffer, boundary: string): readonly Buffer[] {
  const delimiter = `\r\n--${boundary}`;
  const [, ...pieces] = `\r\n${raw.toString('latin1', headerLength(raw))}`.split(delimiter);
  const parts: string[][] = [];
  for (const piece of pieces) {
    const end = `${piece}\r\n`.indexOf('\r\n');
    const rest = piece.slice(0, end).trimEnd();
    if (rest === '--') break;
    // A part's boundary may begin with the boundary of the whole mail.
    if (rest === '') parts.push([piece.slice(end + 2)]);
    else parts.at(-1)?.push(delimiter, piece);
  }
  return parts.map((part) => Buffer.from(part.join(''), 'latin1'));
}

function fieldOf(raw: Buffer, name: string): string {
  return headerValue(headerFields(raw), name) ?? '';
}

/** True if the library adds no line break at the end of a part. It adds one to a last line without a line break. */
function endsAsRead(leaf: Buffer): boolean {
  return leaf.at(-1) === 0x0a || /base64/i.test(fieldOf(leaf, 'content-transfer-encoding'));
}

function isInline({ mimeType, disposition, contentId }: Attachment): boolean {
  return mimeType.startsWith('image/') && disposition === 'inline' && contentId !== undefined;
}

/** Returns texts and messages as text, everything else in base64. */
function contentOf({ mimeType, content }: Attachment, leaf: Buffer): string {
  const read = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Uint8Array);
  const bytes = endsAsRead(leaf) ? read : read.subarray(0, -1);
  if (!/^(?:text|message)\//.test(mimeType)) return bytes.toString('base64');
  const [, charset = 'utf-8'] = /\bcharset\s*=\s*"?([^";\s]+)/i.exec(fieldOf(leaf, 'content-type')) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
