import { Writable } from 'node:stream';
import type { Context } from '../context.ts';
import type { OutputStream } from '../process/standard-output.ts';
import { createProgress, type ProgressView } from '../output/progress/progress.ts';

/** Standard output and standard error, shared by parallel work. */
export interface SharedOutput {
  /** Opens the streams of one job. Its output is kept until it is shown in one piece, under its name. */
  open(name: string): OwnOutput;
  /** Shows the progress of all jobs from time to time, until `ended` is aborted. */
  showProgress(current: () => ProgressView, ended: AbortSignal): Promise<void>;
  /** Prints a last text on standard output, separate from the rest. */
  conclude(text: string): void;
}

export interface OwnOutput {
  readonly stdout: OutputStream;
  readonly stderr: Context['stderr'];
  /** Shows the output since the last call. */
  show(): Promise<void>;
  /** Shows the kept output, then the output of `work` at once. Other jobs are not shown meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export interface SharedOutputOptions {
  /**
   * Returns the line above the output of a job. On standard output it is null if a heading would break the format.
   */
  readonly heading: (name: string, stream: 'stdout' | 'stderr') => string | null;
}

const SHOW_EVERY_MS = 2_000;

export function shareOutput(
  { stdout, stderr, clock, signal }: Pick<Context, 'stdout' | 'stderr' | 'clock' | 'signal'>,
  { heading }: SharedOutputOptions,
): SharedOutput {
  const progress = createProgress({ stderr, clock, signal });
  const real = { stdout, stderr };
  // On a terminal both streams form one text.
  const isOneText = stdout.isTTY === true && stderr.isTTY === true;
  const lastShown = new Map<'both' | StreamName, string>();
  const print = (name: string, { stream, text }: Piece): void => {
    if (text === '') return;
    const where = isOneText ? 'both' : stream;
    const line = lastShown.get(where) === name ? null : heading(name, stream);
    if (line === null) {
      real[stream].write(text);
      return;
    }
    real[stream].write(`${lastShown.has(where) ? '\n' : ''}${line}\n${text.replace(/^\n/, '')}`);
    lastShown.set(where, name);
  };
  let shown: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const inTurn = <T>(work: () => Promise<T> | T): Promise<T> => {
    waiting += 1;
    const turn = shown.then(() => {
      progress.stop();
      return work();
    });
    const end = (): void => {
      waiting -= 1;
    };
    shown = turn.then(end, end);
    return turn;
  };
  return {
    open: (name) => openOutput(real, (piece) => print(name, piece), inTurn),
    async showProgress(current, ended) {
      for (;;) {
        await clock.sleep(SHOW_EVERY_MS, ended);
        if (ended.aborted) break;
        if (waiting === 0) progress.update(current);
      }
      progress.stop();
    },
    conclude: (text) => void stdout.write(`${lastShown.size > 0 ? '\n' : ''}${text}`),
  };
}

type StreamName = 'stdout' | 'stderr';

interface Piece {
  readonly stream: StreamName;
  readonly text: string;
}

function openOutput(
  real: Readonly<Record<StreamName, OutputStream>>,
  print: (piece: Piece) => void,
  inTurn: <T>(work: () => Promise<T> | T) => Promise<T>,
): OwnOutput {
  const kept: Piece[] = [];
  const showKept = (): void => kept.splice(0).forEach(print);
  let isAlone = false;
  const open = (stream: StreamName): Context['stderr'] => {
    const { isTTY, columns } = real[stream];
    const own = new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        const piece = { stream, text: chunk.toString() };
        if (isAlone) print(piece);
        else kept.push(piece);
        done();
      },
    });
    return Object.assign(own, {
      ...(isTTY === undefined ? {} : { isTTY }),
      ...(columns === undefined ? {} : { columns }),
    });
  };
  return {
    stdout: open('stdout'),
    stderr: open('stderr'),
    show: () => inTurn(showKept),
    alone: (work) =>
      inTurn(async () => {
        showKept();
        isAlone = true;
        try {
          return await work();
        } finally {
          isAlone = false;
        }
      }),
  };
}
