import type { ServerResponse } from 'node:http';

/** Open pages that are told when something changes (server-sent events). */
export interface PageStreams {
  open(response: ServerResponse, headers: Readonly<Record<string, string>>): void;
  /** Notifies all open pages. */
  notify(): void;
}

/** Maximum number of open pages. One more closes the oldest, which connects again. */
const MOST_STREAMS = 100;
const RECONNECT_MS = 3_000;
/** Maximum data waiting for a page that no longer reads. */
const MOST_WAITING_BYTES = 64 * 1024;

export function createPageStreams(): PageStreams {
  const open = new Set<ServerResponse>();
  return {
    open(response, headers) {
      // The server ends silent connections. These are meant to be silent.
      response.socket?.setTimeout(0).setKeepAlive(true, 30_000);
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      response.write(`retry: ${RECONNECT_MS}\n\n`);
      open.add(response);
      response.once('close', () => open.delete(response)).on('error', () => open.delete(response));
      const [oldest] = open;
      if (open.size > MOST_STREAMS) oldest?.destroy();
    },
    notify() {
      for (const response of open) {
        if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
        else response.write('data: changed\n\n');
      }
    },
  };
}
