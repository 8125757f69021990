import type { Logger } from 'pino';
import { POLL_MS, type Daemon } from '../../../reconcile/daemon/daemon.ts';
import { startStatusServer, type StatusServer, type StatusServerOptions } from '../../../status/server.ts';
import { CommandError, EXIT } from '../../exit.ts';
import type { RouteAnswer } from '../../../status/page/views/route-box.ts';
import { answerRoute } from './answer-route.ts';
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

/** Whose status is served. */
export interface ServedProcess extends Pick<Daemon, 'heartbeatAt' | 'statuses' | 'histories' | 'manifests'> {
  /** Where it does not follow from the statuses of accounts. */
  readonly readiness?: StatusServerOptions['readiness'];
}

export interface StatusPorts extends Omit<
  StatusServerOptions,
  keyof ListenAddress | 'statuses' | 'histories' | 'isAlive' | 'route' | 'readiness'
> {
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Is called with what tells open pages that something changed. */
  readonly onServing: (notify: () => void) => void;
}

/**
 * Serves the daemon's status until the signal is aborted. A port that is in use is reported and retried: the accounts
 * go on being reconciled.
 */
export async function serveStatus(
  listen: ListenAddress,
  daemon: ServedProcess,
  ports: StatusPorts,
): Promise<void> {
  const { clock, signal, logger, disclosure } = ports;
  const isAlive = (): boolean => clock.monotonic() - daemon.heartbeatAt() < 4 * POLL_MS;
  const statuses = (): ReturnType<Daemon['statuses']> => daemon.statuses();
  const histories = (): ReturnType<Daemon['histories']> => daemon.histories();
  const route = (address: string): RouteAnswer => answerRoute(address, daemon.manifests(), disclosure);
  let server: StatusServer | null = null;
  for (let isReported = false; server === null && !signal.aborted;) {
    try {
      server = await startStatusServer({
        ...ports,
        ...listen,
        statuses,
        histories,
        isAlive,
        route,
        readiness: daemon.readiness,
      });
    } catch (error) {
      if (!isReported)
        logger.error({ event: 'status.unavailable' }, `the status cannot be served: ${String(error)}`);
      isReported = true;
      await clock.sleep(POLL_MS, signal);
    }
  }
  if (server === null) return;
  const serving = server;
  ports.onServing(() => serving.notify());
  logger.info(
    { event: 'status.listening', host: listen.host, port: server.port },
    `status served on ${listen.host}:${server.port}`,
  );
  // A day at a time, for a timer cannot be longer.
  while (!signal.aborted) await clock.sleep(86_400_000, signal);
  await server.close();
}
