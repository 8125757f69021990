import { setImmediate as turn } from 'node:timers/promises';
import { Dispatcher } from 'undici';
import type { EmulatorCore } from '../../src/emulator/emulator.ts';
import { bodyBytes, type Outcome } from '../../src/emulator/protocol.ts';
import type { WorldClock } from './world-clock.ts';

/** Whether the service can be reached. */
export interface Network {
  isUp: boolean;
}

const LATENCY_MS = 20;

/** Carries requests to an emulator in this process, for simulations of days. */
export class InProcessDispatcher extends Dispatcher {
  readonly #core: EmulatorCore;
  readonly #clock: WorldClock;
  readonly #network: Network;

  constructor(core: EmulatorCore, clock: WorldClock, network: Network) {
    super();
    this.#core = core;
    this.#clock = clock;
    this.#network = network;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    void this.#carry(options, handler);
    return true;
  }

  override async close(): Promise<void> {}

  async #carry(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): Promise<void> {
    const flow = { aborted: false, paused: false, reason: null, abort() {}, pause() {}, resume() {} };
    if (!this.#network.isUp) {
      await turn();
      handler.onResponseError?.(flow, new Error('connect ECONNREFUSED'));
      return;
    }
    handler.onRequestStart?.(flow, {});
    const outcome = await this.#core.dispatch({
      method: options.method,
      target: options.path,
      headers: options.headers as Record<string, string>,
      body: typeof options.body === 'string' ? options.body : undefined,
    });
    await this.#clock.sleep(LATENCY_MS);
    deliver(outcome, handler, flow);
  }
}

function deliver(
  outcome: Outcome,
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
  handler.onResponseData?.(flow, bodyBytes(outcome.answer));
  handler.onResponseEnd?.(flow, {});
}
