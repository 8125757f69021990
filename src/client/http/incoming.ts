/** Reason to stop receiving an answer. */
export interface Excess {
  /** `one`: the answer has more than it may; `all`: this process receives too much at once, and this answer is the largest. */
  readonly of: 'one' | 'all';
  readonly message: string;
}

/** The body of one answer while it is received. */
export interface Incoming {
  readonly add: (piece: Buffer) => void;
  /** Returns what has arrived, which is then no longer kept here. */
  readonly take: () => Buffer;
}

/** Most bytes of all answers together while they are received. Each takes as much memory again once it is text. */
const MOST_TOGETHER = 64 * 1024 * 1024;

interface Receiving {
  readonly pieces: Buffer[];
  size: number;
  readonly giveUp: (excess: Excess) => void;
}

/** All bodies that this process receives: many accounts share its memory. */
const receiving = new Set<Receiving>();
let received = 0;

/** Receives a body; `giveUp` is called once if it has more than `most` bytes, or is the largest where all are too much. */
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
      if (received > MOST_TOGETHER) stop(largest(), { of: 'all', message: 'too much came at once' });
    },
    take() {
      const { pieces } = own;
      const [only, ...more] = pieces;
      // Nearly every answer is one piece, of which a copy takes room until it is collected.
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
