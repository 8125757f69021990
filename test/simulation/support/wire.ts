import { Dispatcher } from 'undici';
import type { EmulatorCore } from '../../../src/emulator/emulator.ts';
import type { FaultAction } from '../../../src/emulator/faults/faults.ts';
import type { Served } from '../../../src/emulator/http/protocol.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import type { Mishap, WireAction } from './faults.ts';
import type { Process } from './process.ts';

/** The fault of the nth request. */
export type Stroke =
  | { readonly kind: 'mishap'; readonly mishap: Mishap }
  /** The process is killed: before the request is processed, after half of its items, or before the answer arrives. */
  | { readonly kind: 'kill'; readonly moment: KillMoment };

export type KillMoment = 'before' | 'during' | 'after';

/** One request and its result. */
export interface Exchange {
  readonly process: number;
  readonly method: string;
  /** Path and query below the root address. */
  readonly path: string;
  readonly body: string | undefined;
  /** Null means no answer. */
  status: number | null;
  /** Text of the answer, if it arrived whole. */
  text: string | null;
}

export interface WirePorts {
  readonly core: EmulatorCore;
  readonly clock: Clock;
  /** The fault of the current request; null means none. */
  readonly strike: (exchange: Exchange) => Stroke | null;
  readonly onKill: () => void;
  /** Sets the wall clock to another time. */
  readonly onClock: (ms: number) => void;
  readonly onExchange: (exchange: Exchange) => void;
  /**
   * Time that a request takes to reach the service, and its answer to come back, in milliseconds. Other requests go on meanwhile.
   * Absent means no time.
   */
  readonly travelMs?: number;
}

type Handler = Dispatcher.DispatchHandler;

const SILENCE_MS = 30_000;

/** Sends the requests of one process to an emulator, one after another, in virtual time and without a socket. */
export class Wire extends Dispatcher {
  readonly #process: Process;
  readonly #ports: WirePorts;
  readonly #flows: Flow[] = [];
  #queue: Promise<void> = Promise.resolve();

  constructor(process: Process, ports: WirePorts) {
    super();
    this.#process = process;
    this.#ports = ports;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
    const flow = createFlow(handler);
    this.#flows.push(flow);
    if (!this.#process.isAlive) this.cutOff();
    void this.#travel(() => {
      this.#queue = this.#queue.then(() => this.#carry(options, handler, flow));
    });
    return true;
  }

  /** Rejects the requests of a dead process, so that they do not stay in memory. */
  cutOff(): void {
    for (const flow of this.#flows) flow.abort(new Error('the process has ended'));
  }

  /** Resolves at once if the delay is 0. */
  async #travel(arrive: () => void): Promise<void> {
    const { clock, travelMs } = this.#ports;
    if (travelMs !== undefined) await clock.sleep(travelMs);
    arrive();
  }

  async #carry(options: Dispatcher.DispatchOptions, handler: Handler, flow: Flow): Promise<void> {
    if (!this.#process.isAlive) return;
    const { method, path } = options;
    const body = typeof options.body === 'string' ? options.body : undefined;
    const exchange: Exchange = {
      process: this.#process.id,
      method,
      path: path.slice(3),
      body,
      status: null,
      text: null,
    };
    const stroke = this.#ports.strike(exchange);
    if (stroke?.kind === 'kill') return this.#die(options, exchange, stroke.moment);
    handler.onRequestStart?.(flow, {});
    const mishap = stroke?.mishap ?? [];
    for (const action of mishap) if (action.kind === 'clock') this.#ports.onClock(action.ms);
    const wire = mishap.find((action) => isOfWire(action) && action.kind !== 'clock');
    if (wire !== undefined) return this.#giveUp(options, exchange, wire, handler, flow);
    const outcome = await this.#serve(options, mishap.filter(isOfEmulator));
    note(exchange, outcome);
    this.#ports.onExchange(exchange);
    void this.#travel(() => {
      if (this.#process.isAlive) deliver(outcome, handler, flow);
    });
  }

  /** Processes the first half of a batch; the process is killed before the second half. */
  async #die(options: Dispatcher.DispatchOptions, exchange: Exchange, moment: KillMoment): Promise<void> {
    this.#process.isAlive = false;
    if (moment !== 'before') {
      const items = moment === 'during' ? secondHalf(exchange.body) : [];
      await this.#serve(options, items.length === 0 ? [] : [{ kind: 'fail-items', items }]);
    }
    this.#ports.onExchange(exchange);
    this.#ports.onKill();
  }

  /** Lets other requests go on. */
  #giveUp(
    options: Dispatcher.DispatchOptions,
    exchange: Exchange,
    action: WireAction,
    handler: Handler,
    flow: Flow,
  ): void {
    const { clock, onExchange } = this.#ports;
    const serve = async (): Promise<void> => {
      await this.#serve(options, []);
      onExchange(exchange);
    };
    const wait = async (): Promise<void> => {
      if (action.kind === 'silence' && action.when === 'after') await serve();
      await clock.sleep(SILENCE_MS);
      const timeout = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
      if (this.#process.isAlive) handler.onResponseError?.(flow, timeout);
      if (action.kind !== 'late') return;
      await clock.sleep(action.ms);
      await serve();
    };
    void wait();
  }

  #serve(
    { method, path, headers, body }: Dispatcher.DispatchOptions,
    actions: readonly FaultAction[],
  ): Promise<Served> {
    const { core } = this.#ports;
    core.faults.push(...actions.map((action) => ({ match: {}, do: action })));
    return core.dispatch({
      method,
      target: path,
      headers: headers as Readonly<Record<string, string>>,
      body: typeof body === 'string' ? body : undefined,
    });
  }
}

function isOfWire(action: FaultAction | WireAction): action is WireAction {
  return action.kind === 'silence' || action.kind === 'late' || action.kind === 'clock';
}

function isOfEmulator(action: FaultAction | WireAction): action is FaultAction {
  return !isOfWire(action);
}

function secondHalf(body: string | undefined): readonly { index: number; message: string }[] {
  const sent = JSON.parse(body ?? '{}') as Readonly<Record<string, unknown>>;
  const list = [sent['aliases'], sent['rules'], sent['ids']].find(Array.isArray) ?? [];
  const half = Math.ceil(list.length / 2);
  return list.slice(half).map((_, index) => ({ index: half + index, message: 'never reached' }));
}

function note(exchange: Exchange, outcome: Served): void {
  if (outcome.kind === 'dropped') return;
  exchange.status = outcome.answer.status;
  if (outcome.delivery.kind === 'whole') exchange.text = outcome.answer.body;
}

type Flow = Dispatcher.DispatchController & { readonly state: { ended: boolean } };

/** Rejects with the client's reason when the client aborts. */
function createFlow(handler: Handler): Flow {
  const state = { ended: false };
  const flow = {
    state,
    aborted: false,
    paused: false,
    reason: null,
    rawHeaders: null,
    rawTrailers: null,
    abort(reason: Error): void {
      if (state.ended) return;
      state.ended = true;
      handler.onResponseError?.(flow, reason);
    },
    pause(): void {},
    resume(): void {},
  };
  return flow;
}

function deliver(outcome: Served, handler: Handler, flow: Flow): void {
  const end = (message: string): void => {
    flow.state.ended = true;
    handler.onResponseError?.(flow, Object.assign(new Error(message), { code: 'UND_ERR_SOCKET' }));
  };
  if (outcome.kind === 'dropped') return end('other side closed');
  const { answer, delivery } = outcome;
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  handler.onResponseStart?.(flow, answer.status, headers, '');
  const bytes = Buffer.from(answer.body);
  if (delivery.kind === 'truncate' && delivery.bytes < bytes.length) {
    handler.onResponseData?.(flow, bytes.subarray(0, delivery.bytes));
    return end('terminated');
  }
  handler.onResponseData?.(flow, delivery.kind === 'flood' ? Buffer.alloc(delivery.bytes, ' ') : bytes);
  if (flow.state.ended) return;
  flow.state.ended = true;
  handler.onResponseEnd?.(flow, {});
}
