import type { Dispatcher } from 'undici';
import { bodyFault } from './body-fault.ts';
import { receiveBody } from './incoming.ts';

/** Limits: milliseconds to connect, of silence, of a whole request and of a request that writes; bytes of an answer. */
export interface Bounds {
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly totalMs: number;
  readonly writeMs: number;
  readonly answerBytes: number;
}

export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly header: (name: string) => string | null;
      readonly text: string;
    }
  | { readonly kind: 'failure'; readonly cause: FailureCause; readonly message: string };

/**
 * `unreachable`: certainly not sent. `unsent`: not sent, because everything was cut off. After the other causes, the effect
 * of the request is unknown.
 */
export type FailureCause = 'unreachable' | 'unsent' | 'timeout' | 'connection' | 'cut' | 'too-large';

/** The reason why we gave up a request. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
  readonly failure: FailureCause;

  constructor(failure: FailureCause, message: string) {
    super(message);
    this.failure = failure;
  }
}

/**
 * Sends one request over HTTP. undici's own `request` does not tell if anything was sent before it failed, which decides if
 * a write may be retried. Its dispatch interface does, through `onRequestStart`.
 */
export function dispatchOnce(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  bounds: Bounds,
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  let controller: Dispatcher.DispatchController | null = null;
  let head: { readonly status: number; readonly headers: Headers } | null = null;
  const giveUp = (cause: FailureCause, message: string): void => {
    controller?.abort(new GivenUp(cause, message));
  };
  const body = receiveBody(bounds.answerBytes, ({ of, message }) => {
    giveUp(of === 'one' ? 'too-large' : 'connection', message);
  });
  const onDeadline = (): void => giveUp('timeout', `it took longer than ${bounds.totalMs / 1000} s`);
  // The timer runs in real time, like undici's own limits.
  const deadline = setTimeout(onDeadline, bounds.totalMs);
  const end = (reply: Reply): void => {
    clearTimeout(deadline);
    resolve(reply);
  };
  dispatcher.dispatch(
    { ...request, headersTimeout: bounds.silenceMs, bodyTimeout: bounds.silenceMs },
    {
      onRequestStart(started) {
        controller = started;
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) head = { status, headers };
      },
      onResponseData(_controller, chunk) {
        body.add(chunk);
      },
      onResponseEnd() {
        const whole = body.take();
        if (head === null) end({ kind: 'failure', cause: 'connection', message: 'the answer has no status' });
        else end(answerOf(head, whole));
      },
      onResponseError(_controller, error) {
        body.take();
        end({ kind: 'failure', ...explain(error, controller !== null) });
      },
    },
  );
  return promise;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function answerOf(head: { readonly status: number; readonly headers: Headers }, body: Buffer): Reply {
  const { status, headers } = head;
  const fault = bodyFault(body);
  if (fault !== null && status < 300) return { kind: 'failure', cause: 'too-large', message: fault };
  const header = (name: string): string | null => {
    const value = headers[name];
    return (Array.isArray(value) ? value[0] : value) ?? null;
  };
  // For a failure, the status is enough.
  return { kind: 'answer', status, header, text: fault === null ? body.toString('utf8') : '' };
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * Explains an error. Before the request was put on a connection, nothing was sent: connection refused, unknown host, TLS.
 */
function explain(error: Error, started: boolean): { readonly cause: FailureCause; readonly message: string } {
  const code = 'code' in error ? String(error.code) : error.name;
  const message = describe(error, code);
  if (error instanceof GivenUp) {
    const cause = error.failure === 'cut' && !started ? 'unsent' : error.failure;
    return { cause, message: error.message };
  }
  if (!started) return { cause: 'unreachable', message };
  return { cause: TIMEOUTS.has(code) ? 'timeout' : 'connection', message };
}

/** Returns the text of an error. Node gives an AggregateError without a message if every address of a host refused. */
function describe(error: Error, code: string): string {
  return error.message === '' ? code : error.message;
}
