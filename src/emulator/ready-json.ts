import { Buffer } from 'node:buffer';
import type { Json, JsonObject } from './protocol.ts';

const READY = Symbol('ready JSON');

/** Stands in a body for a value whose JSON is at hand in bytes; only `writeReadyJson` knows what to do with it. */
export function readyJson(bytes: Buffer): JsonObject {
  const stand: { readonly [READY]: Buffer } = { [READY]: bytes };
  return stand;
}

/** What of a body is written: bytes, and the text that comes after them. */
interface Written {
  readonly bytes: Buffer[];
  text: string;
}

/** The JSON of a body that holds ready JSON: its bytes, and in pieces of their own what is between them. */
export function writeReadyJson(body: JsonObject): readonly Buffer[] {
  const written: Written = { bytes: [], text: '' };
  write(written, body);
  endText(written);
  return written.bytes;
}

function write(written: Written, value: Json): void {
  if (typeof value !== 'object' || value === null) {
    written.text += JSON.stringify(value);
  } else if (READY in value) {
    endText(written);
    written.bytes.push(value[READY] as Buffer);
  } else {
    writeParts(written, value);
  }
}

function writeParts(written: Written, value: Extract<Json, object>): void {
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [name, part] of Object.entries(value)) {
    written.text += isList ? before : `${before}${JSON.stringify(name)}:`;
    write(written, part);
    before = ',';
  }
  if (before !== ',') written.text += before;
  written.text += isList ? ']' : '}';
}

function endText(written: Written): void {
  written.bytes.push(Buffer.from(written.text));
  written.text = '';
}
