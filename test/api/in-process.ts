import { Dispatcher } from 'undici';
import type { EmulatorCore } from '../../src/emulator/emulator.ts';
import { bodyBytes } from '../../src/emulator/protocol.ts';

/** Hands requests to an emulator in this process, without a socket: for tests of tens of thousands of them. */
export function inProcess({ dispatch }: Pick<EmulatorCore, 'dispatch'>): Dispatcher {
  return new InProcess(dispatch);
}

/** undici asks for a subclass: its Dispatcher is an abstract class. */
class InProcess extends Dispatcher {
  readonly #serve: EmulatorCore['dispatch'];

  constructor(serve: EmulatorCore['dispatch']) {
    super();
    this.#serve = serve;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    void this.#answer(options, handler);
    return true;
  }

  async #answer(
    { method, path, headers, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): Promise<void> {
    const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, {});
    const outcome = await this.#serve({
      method,
      target: path,
      headers: headers as Readonly<Record<string, string>>,
      body: typeof body === 'string' ? body : undefined,
    });
    if (outcome.kind === 'dropped') {
      handler.onResponseError?.(controller, new Error('the connection was dropped'));
      return;
    }
    const { status, headers: answered } = outcome.answer;
    const lower = Object.fromEntries(
      Object.entries(answered).map(([name, value]) => [name.toLowerCase(), value]),
    );
    handler.onResponseStart?.(controller, status, lower, '');
    handler.onResponseData?.(controller, bodyBytes(outcome.answer));
    handler.onResponseEnd?.(controller, {});
  }
}
