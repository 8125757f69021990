import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Returns a free port below those that the system assigns, so that no other process gets it before the test uses it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(randomInt(20_000, 30_000), '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
