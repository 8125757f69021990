import { Writable } from 'node:stream';
import type { Concealer } from '../../../service/conceal/concealer.ts';
import type { OutputStream } from '../../process/standard-output.ts';
import { columnsOf } from '../output.ts';

/** Returns a stream that conceals secrets before it writes to this one. It takes whole lines. */
export function concealing(stream: OutputStream, concealer: Concealer): OutputStream {
  const concealed = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      stream.write(concealer.conceal(text), done);
    },
  });
  return Object.assign(concealed, { isTTY: stream.isTTY === true, columns: columnsOf(stream) });
}
