import { Dispatcher } from 'undici';
import type { EmulatorCore } from '../../src/emulator/emulator.ts';
import type { Served } from '../../src/emulator/http/protocol.ts';

/** Wire between client and emulator. An error that it throws is a connection error. */
export interface Line {
  /** Called before a request is sent. */
  readonly connect?: () => Promise<void>;
  /** Called before its answer arrives. */
  readonly answered?: () => Promise<void>;
}

/** Sends requests to an emulator in this process without a socket, for tests with tens of thousands of them. */
export function inProcess({ dispatch }: Pick<EmulatorCore, 'dispatch'>, line: Line = {}): Dispatcher {
  return new InProcess(dispatch, line);
}

/** undici asks for a subclass: its Dispatcher is an abstract class. */
class InProcess extends Dispatcher {
  readonly #serve: EmulatorCore['dispatch'];
  readonly #line: Line;

  constructor(serve: EmulatorCore['dispatch'], line: Line) {
    super();
    this.#serve = serve;
    this.#line = line;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    void this.#carry(options, handler);
    return true;
  }

  override async close(): Promise<void> {}

  async #carry(
    { method, path, headers, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): Promise<void> {
    const flow = { aborted: false, paused: false, reason: null, abort() {}, pause() {}, resume() {} };
    try {
      await this.#line.connect?.();
    } catch (error) {
      handler.onResponseError?.(flow, error as Error);
      return;
    }
    handler.onRequestStart?.(flow, {});
    const outcome = await this.#serve({
      method,
      target: path,
      headers: headers as Readonly<Record<string, string>>,
      body: typeof body === 'string' ? body : undefined,
    });
    await this.#line.answered?.();
    deliver(outcome, handler, flow);
  }
}

function deliver(
  outcome: Served,
  handler: Dispatcher.DispatchHandler,
  flow: Dispatcher.DispatchController,
): void {
  if (outcome.kind === 'dropped') {
    handler.onResponseError?.(flow, new Error('other side closed'));
    return;
  }
  const headers = Object.fromEntries(
    Object.entries(outcome.answer.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  handler.onResponseStart?.(flow, outcome.answer.status, headers, 'OK');
  handler.onResponseData?.(flow, Buffer.from(outcome.answer.body));
  handler.onResponseEnd?.(flow, {});
}
