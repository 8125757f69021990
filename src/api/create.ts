import type { Dispatcher } from 'undici';
import type { Clock } from '../model/clock.ts';
import type { ApiVersion } from '../model/endpoints.ts';
import { createCall } from './call.ts';
import type { Client } from './client.ts';
import { createPacer } from './pacing.ts';
import { createTransport } from './transport.ts';
import { createV4Operations } from './v4/client.ts';

export interface ClientOptions {
  /** Root address without a slash at its end, such as `https://api.improvmx.com/v4`. */
  readonly url: string;
  readonly version: ApiVersion;
  /** Checked with `keyFault` before. */
  readonly key: string;
  readonly mode: 'read-only' | 'read-write';
  readonly clock: Clock;
  readonly random: () => number;
  readonly dispatcher?: Dispatcher;
  /** Aborted: nothing more is sent; what is in flight may finish. */
  readonly signal?: AbortSignal;
}

export function createClient(options: ClientOptions): Client {
  const pacer = createPacer(options.clock, options.signal);
  const transport = createTransport(options);
  const call = createCall({
    transport,
    pacer,
    clock: options.clock,
    random: options.random,
    signal: options.signal,
  });
  return {
    version: options.version,
    url: options.url,
    totals: () => pacer.totals(),
    budgets: () => pacer.budgets(),
    close: () => transport.close(),
    ...createV4Operations(call),
  };
}
