/** A reason to stop receiving an answer. */
export interface Excess {
  /** `one`: the answer is too large. `all`: this process receives too much at once, and this answer is the largest. */
  readonly of: 'one' | 'all';
  readonly message: string;
}

/** The body of one answer while it is being received. */
export interface Incoming {
  readonly add: (piece: Buffer) => void;
  /** Returns the bytes received and releases them here. */
  readonly take: () => Buffer;
}

/**
 * Maximum number of bytes of all answers while they are being received. Each answer needs as much memory again for its text.
 */
const MOST_TOGETHER = 32 * 1024 * 1024;

interface Receiving {
  readonly pieces: Buffer[];
  size: number;
  readonly giveUp: (excess: Excess) => void;
}

/** All bodies that this process is receiving. Many accounts share its memory. */
const receiving = new Set<Receiving>();
let received = 0;

/**
 * Receives a body. `giveUp` is called once if the body has more than `most` bytes, or if it is the largest while all
 * together are too much.
 */
export function receiveBody(most: number, giveUp: (excess: Excess) => void): Incoming {
  const own: Receiving = { pieces: [], size: 0, giveUp };
  receiving.add(own);
  return {
    add(piece) {
      if (!receiving.has(own)) return;
      own.pieces.push(piece);
      own.size += piece.length;
      received += piece.length;
      if (own.size > most) stop(own, { of: 'one', message: `the answer is larger than ${most} bytes` });
      if (received > MOST_TOGETHER) stop(largest(), { of: 'all', message: 'too much data arrived at once' });
    },
    take() {
      const { pieces } = own;
      const [only, ...more] = pieces;
      // Nearly every answer is one piece. A copy of it would take memory until it is collected.
      const body = only === undefined || more.length > 0 ? Buffer.concat(pieces) : only;
      forget(own);
      return body;
    },
  };
}

function stop(body: Receiving, excess: Excess): void {
  forget(body);
  body.giveUp(excess);
}

function forget(body: Receiving): void {
  if (!receiving.delete(body)) return;
  received -= body.size;
  body.pieces.length = 0;
}

function largest(): Receiving {
  return [...receiving].reduce((most, body) => (body.size > most.size ? body : most));
}
