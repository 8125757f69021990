import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';

/** Memory for mails that are being received, over all connections. */
export interface ReceivingRoom {
  readonly maximumBytes: number;
  usedBytes: number;
}

export type CollectedData =
  | { readonly kind: 'whole'; readonly raw: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'no-room' };

/**
 * Reads a message and changes its line breaks to CRLF: with a bare line feed or carriage return, the next server could read
 * the mail differently. It always reads to the end, but discards a message that is too large.
 */
export async function collectData(
  stream: Readable,
  maximumBytes: number,
  room: ReceivingRoom,
): Promise<CollectedData> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let kind: 'whole' | 'too-large' | 'no-room' = 'whole';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (kind !== 'whole') continue;
      if (bytes + chunk.length > maximumBytes) kind = 'too-large';
      else if (room.usedBytes + chunk.length > room.maximumBytes) kind = 'no-room';
      else {
        chunks.push(chunk);
        bytes += chunk.length;
        room.usedBytes += chunk.length;
      }
      if (kind !== 'whole') chunks.length = 0;
    }
  } finally {
    room.usedBytes -= bytes;
  }
  return kind === 'whole' ? { kind, raw: withCanonicalBreaks(Buffer.concat(chunks, bytes)) } : { kind };
}

const CR = 0x0d;
const LF = 0x0a;

/** Returns the bytes with every line break as CRLF. If there is nothing to change, it returns the same buffer. */
export function withCanonicalBreaks(bytes: Buffer): Buffer {
  let missing = 0;
  for (let at = 0; at < bytes.length; at += 1) if (isAlone(bytes, at)) missing += 1;
  if (missing === 0) return bytes;
  const fixed = Buffer.allocUnsafe(bytes.length + missing);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const alone = isAlone(bytes, at);
    if (alone && byte === LF) end = fixed.writeUInt8(CR, end);
    end = fixed.writeUInt8(byte, end);
    if (alone && byte === CR) end = fixed.writeUInt8(LF, end);
  }
  return fixed;
}

function isAlone(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  return (byte === LF && bytes[at - 1] !== CR) || (byte === CR && bytes[at + 1] !== LF);
}
