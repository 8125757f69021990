import { POLL_MS } from '../daemon/daemon.ts';
import type { ServiceLog } from '../log/service-log.ts';
import { startStatusServer, type StatusServer, type StatusServerOptions } from './status-server.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Serves until the signal is aborted. A port that is in use is reported and retried: the accounts go on being reconciled. */
export async function serveStatus(
  options: StatusServerOptions,
  { log, signal }: { readonly log: ServiceLog; readonly signal: AbortSignal },
  onServing: (server: StatusServer) => void,
): Promise<void> {
  const { host, clock } = options;
  let server: StatusServer | null = null;
  for (let isReported = false; server === null && !signal.aborted;) {
    try {
      server = await startStatusServer(options);
    } catch (error) {
      if (!isReported)
        log.error({ event: 'status.unavailable' }, `the status cannot be served: ${String(error)}`);
      isReported = true;
      await clock.sleep(POLL_MS, signal);
    }
  }
  if (server === null) return;
  onServing(server);
  const { port } = server;
  log.info({ event: 'status.listening', host, port }, `status served on ${host}:${port}`);
  // A day at a time, for a timer cannot be longer.
  while (!signal.aborted) await clock.sleep(86_400_000, signal);
  await server.close();
}
