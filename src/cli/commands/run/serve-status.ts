import type { Logger } from 'pino';
import { POLL_MS } from '../../../service/daemon/daemon.ts';
import { startStatusServer, type StatusServer, type StatusServerOptions } from '../../../service/status/server.ts';
import { CommandError, EXIT } from '../../exit.ts';
import { MOST_PORT } from '../../input/options.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT`, `[::1]:PORT` or `PORT`, which is on loopback. */
export function parseListen(text: string): ListenAddress {
  const [, host = '127.0.0.1', port = ''] = /^(?:(\[[\da-f:.]+\]|[\w.-]+):)?(\d+)$/i.exec(text) ?? [];
  const number = Number(port);
  if (port !== '' && number <= MOST_PORT) return { host: host.replace(/^\[(.*)\]$/, '$1'), port: number };
  const what = number > MOST_PORT ? `${port} is not a port` : 'it is not an address';
  const hint = `write HOST:PORT, such as 127.0.0.1:9477; a port is a number from 0 to ${MOST_PORT}`;
  throw new CommandError(EXIT.usage, `--listen ${text}: ${what}`, hint);
}

/** Serves until the signal is aborted. A port that is in use is reported and retried: the accounts go on being reconciled. */
export async function serveStatus(
  options: StatusServerOptions,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
  onServing: (server: StatusServer) => void,
): Promise<void> {
  const { host, clock } = options;
  let server: StatusServer | null = null;
  for (let isReported = false; server === null && !signal.aborted;) {
    try {
      server = await startStatusServer(options);
    } catch (error) {
      if (!isReported)
        logger.error({ event: 'status.unavailable' }, `the status cannot be served: ${String(error)}`);
      isReported = true;
      await clock.sleep(POLL_MS, signal);
    }
  }
  if (server === null) return;
  onServing(server);
  const { port } = server;
  logger.info({ event: 'status.listening', host, port }, `status served on ${host}:${port}`);
  // A day at a time, for a timer cannot be longer.
  while (!signal.aborted) await clock.sleep(86_400_000, signal);
  await server.close();
}
