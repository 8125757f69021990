// Loaded before a command. Writes the addresses of connections and the looked-up names to standard error.
import { Buffer } from 'node:buffer';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { writeSync } from 'node:fs';

const report = (what: string): void => void writeSync(2, Buffer.from(`WATCHED ${what}\n`));
const connect = Reflect.get(net.Socket.prototype, 'connect') as typeof net.Socket.prototype.connect;
net.Socket.prototype.connect = function watched(this: net.Socket, ...args: unknown[]) {
  const [first] = args.flat() as unknown as readonly [{ readonly host?: string; readonly port?: number }];
  if (first.port !== undefined) report(`connect ${first.host}:${first.port}`);
  return Reflect.apply(connect, this, args) as net.Socket;
} as typeof connect;
type Asking = (...args: readonly unknown[]) => unknown;
for (const api of [dns, dns.promises] as unknown as readonly Record<string, Asking>[]) {
  for (const [name, real] of Object.entries(api)) {
    if (!/^(?:lookup|resolve|reverse)/.test(name)) continue;
    api[name] = (...args) => {
      report(`dns ${name} ${String(args[0])}`);
      return Reflect.apply(real, api, args);
    };
  }
}
const send = Reflect.get(dgram.Socket.prototype, 'send') as Asking;
dgram.Socket.prototype.send = function watched(this: dgram.Socket, ...args: unknown[]) {
  report(`datagram to ${String(args.at(-2))} ${String(args.at(-1))}`);
  return Reflect.apply(send, this, args);
} as typeof dgram.Socket.prototype.send;
syncBuiltinESMExports();
