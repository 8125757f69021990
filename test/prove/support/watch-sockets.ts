// Loaded before a command: says on standard error which addresses are connected to and which names are looked up.
import { Buffer } from 'node:buffer';
import dns from 'node:dns';
import net from 'node:net';
import { writeSync } from 'node:fs';

const report = (what: string): void => void writeSync(2, Buffer.from(`WATCHED ${what}\n`));
const connect = Reflect.get(net.Socket.prototype, 'connect') as typeof net.Socket.prototype.connect;
net.Socket.prototype.connect = function watched(this: net.Socket, ...args: unknown[]) {
  const [first] = args.flat() as unknown as readonly [{ readonly host?: string; readonly port?: number }];
  if (first.port !== undefined) report(`connect ${first.host}:${first.port}`);
  return Reflect.apply(connect, this, args) as net.Socket;
} as typeof connect;
for (const name of ['lookup', 'resolve', 'resolveTxt', 'reverse'] as const) {
  const real = dns[name] as (...args: readonly unknown[]) => unknown;
  Object.assign(dns, {
    [name]: (...args: readonly unknown[]) => {
      report(`dns ${name} ${String(args[0])}`);
      return real(...args);
    },
  });
}
