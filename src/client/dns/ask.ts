import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { Clock } from '../../core/model/clock.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import type { Dns, DnsAnswer, DnsFault, DnsQuestion, DnsServer } from './dns.ts';
import { decodeAnswer, encodeQuestion, type ReceivedAnswer } from './packets.ts';

export interface DnsPorts {
  readonly clock: Clock;
  /** Returns a number from 0 up to 1, excluding 1. */
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
}

const TRIES = 3;
const UDP_WAIT_MS = 2_000;
const TCP_WAIT_MS = 5_000;

/** Asks DNS servers by UDP, three times if there is no answer, and by TCP if an answer did not fit. */
export function createDns(ports: DnsPorts): Dns {
  return { ask: (server, question, mode) => askServer({ ...ports, server, question, mode }) };
}

interface Asking extends DnsPorts {
  readonly server: DnsServer;
  readonly question: DnsQuestion;
  readonly mode: Parameters<Dns['ask']>[2];
}

async function askServer(asking: Asking): Promise<Result<DnsAnswer, DnsFault>> {
  let answer: Result<ReceivedAnswer, DnsFault> = fail({ message: 'it was interrupted' });
  for (let tries = 0; tries < TRIES && asking.signal?.aborted !== true; tries += 1) {
    answer = await exchange(asking, UDP_WAIT_MS, askByUdp);
    if (answer.ok) return answer.value.isTruncated ? exchange(asking, TCP_WAIT_MS, askByTcp) : answer;
  }
  return answer;
}

/** One exchange over a socket: how it ends, and what closes the socket. */
interface Exchange {
  readonly id: number;
  readonly done: (answer: Result<ReceivedAnswer, DnsFault>) => void;
}

type Transport = (asking: Asking, exchange: Exchange) => () => void;

/** Sends a question once, and waits for the answer, an error of the network, or the end of the time. */
async function exchange(
  asking: Asking,
  waitMs: number,
  transport: Transport,
): Promise<Result<ReceivedAnswer, DnsFault>> {
  const { clock, random, signal } = asking;
  const { promise, resolve: done } = Promise.withResolvers<Result<ReceivedAnswer, DnsFault>>();
  const over = new AbortController();
  const stop = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const close = transport(asking, { id: Math.floor(random() * 65_536), done });
  const late = async (): Promise<Result<ReceivedAnswer, DnsFault>> => {
    await clock.sleep(waitMs, stop);
    return fail({ message: `no answer within ${waitMs / 1000} s` });
  };
  try {
    return await Promise.race([promise, late()]);
  } finally {
    over.abort();
    close();
  }
}

/** The socket is connected, so that only packets of that server arrive. Other answers are ignored. */
function askByUdp({ server, question, mode }: Asking, { id, done }: Exchange): () => void {
  const socket = createSocket(isIPv6(server.host) ? 'udp6' : 'udp4');
  const bytes = encodeQuestion(id, question, { isRecursive: mode === 'recursive', isFramed: false });
  socket.on('error', (error) => done(fail({ message: error.message })));
  socket.on('message', (received) => {
    const answer = decodeAnswer(received, id, question);
    if (answer !== null) done(succeed(answer));
  });
  socket.on('connect', () => socket.send(bytes));
  socket.connect(server.port, server.host);
  return () => socket.close();
}

function askByTcp({ server, question, mode }: Asking, { id, done }: Exchange): () => void {
  const socket = connect(server.port, server.host);
  let received = Buffer.alloc(0);
  const failed = (reason: string): void => {
    done(fail({ message: `the answer does not fit a UDP packet, and TCP failed: ${reason}` }));
  };
  socket.on('error', (error) => failed(error.message));
  socket.on('close', () => failed('the connection was closed'));
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const answer = decodeAnswer(received.subarray(2, 2 + received.readUInt16BE(0)), id, question);
    if (answer === null) failed('it answered another question');
    else done(succeed(answer));
  });
  socket.write(encodeQuestion(id, question, { isRecursive: mode === 'recursive', isFramed: true }));
  return () => void socket.destroy();
}
