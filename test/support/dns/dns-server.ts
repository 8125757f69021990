import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import packet, { type Answer, type DecodedPacket, type Packet } from 'dns-packet';
import { onTestFinished } from 'vitest';

export type TestType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'SOA' | 'TXT';

export interface TestRecord {
  readonly name: string;
  readonly type: TestType;
  readonly ttl: number;
  /** Data in the form of `dns-packet`; `MX`: `10 mail.example`. */
  readonly data: string;
}

/** Fault of a server. `other` first answers with another id and another question, then correctly. */
export type DnsFaultKind = 'lame' | 'servfail' | 'truncated' | 'silent' | 'other';

/** An authoritative DNS server. Its records can be changed at any time. */
export interface TestServer {
  readonly name: string;
  readonly address: string;
  records: readonly TestRecord[];
  fault: DnsFaultKind | null;
  /** Number of questions so far. */
  asked: number;
}

export interface TestDns {
  /** Address of the resolver for `--resolver`. */
  readonly resolver: string;
  readonly port: number;
  readonly servers: readonly TestServer[];
  /** The resolver, which answers from the records of all servers. */
  readonly recursive: TestServer;
  /** Replaces the records of a name and type, on these servers or on all. Without data it deletes them. */
  put(name: string, type: TestType, data: readonly string[], how?: PutOptions): void;
}

interface PutOptions {
  readonly ttl?: number;
  readonly at?: readonly TestServer[];
}

/** Serves zones on loopback. Each server has its own address, and all have the same port. Everything is closed after the test. */
export async function startDns(
  zones: readonly string[],
  { addresses = ['127.0.0.2', '127.0.0.3'] }: { readonly addresses?: readonly string[] } = {},
): Promise<TestDns> {
  const recursive: TestServer = {
    name: 'resolver',
    address: '127.0.0.1',
    records: [],
    fault: null,
    asked: 0,
  };
  const servers = addresses.map((address, index): TestServer => {
    const records = [...zones.flatMap((zone) => apexOf(zone, addresses)), ...addresses.map(hostOf)];
    return { name: `ns${index + 1}.dns.example`, address, records, fault: null, asked: 0 };
  });
  const port = await listenAll([
    { server: recursive, look: (question) => resolve(servers, question) },
    ...servers.map((server) => ({
      server,
      look: (question: Question) => answerOf(server.records, zones, question),
    })),
  ]);
  return {
    resolver: `127.0.0.1:${port}`,
    port,
    servers,
    recursive,
    put(name, type, data, { ttl = 300, at = servers } = {}) {
      const added = data.map((one): TestRecord => ({ name, type, ttl, data: one }));
      for (const server of at)
        server.records = [
          ...server.records.filter((record) => record.name !== name || record.type !== type),
          ...added,
        ];
    },
  };
}

function apexOf(zone: string, addresses: readonly string[]): readonly TestRecord[] {
  return [
    { name: zone, type: 'SOA', ttl: 60, data: '600' },
    ...addresses.map((_, index): TestRecord => {
      return { name: zone, type: 'NS', ttl: 60, data: `ns${index + 1}.dns.example` };
    }),
  ];
}

function hostOf(address: string, index: number): TestRecord {
  const type = address.includes(':') ? 'AAAA' : 'A';
  return { name: `ns${index + 1}.dns.example`, type, ttl: 60, data: address };
}

export interface Question {
  readonly name: string;
  readonly type: string;
}

export interface Found {
  readonly code: 0 | 3;
  readonly answers: readonly TestRecord[];
  readonly authorities: readonly TestRecord[];
  readonly isAuthoritative: boolean;
}

/** Returns the records that answer a question to a server. */
export function answerOf(
  records: readonly TestRecord[],
  zones: readonly string[],
  { name, type }: Question,
): Found {
  const zone = zones
    .filter((one) => name === one || name.endsWith(`.${one}`))
    .sort((a, b) => b.length - a.length)[0];
  const own = recordsAt(records, name);
  const answers = own.filter((record) => record.type === type || record.type === 'CNAME');
  const hasName = own.length > 0 || records.some((record) => record.name.endsWith(`.${name}`));
  const soa = records.filter((record) => record.name === zone && record.type === 'SOA');
  return {
    code: hasName ? 0 : 3,
    answers,
    authorities: answers.length > 0 ? [] : soa,
    isAuthoritative: zone !== undefined,
  };
}

/** Returns the records of a name, or those of the wildcard above it. */
function recordsAt(records: readonly TestRecord[], name: string): readonly TestRecord[] {
  const own = records.filter((record) => record.name === name);
  if (own.length > 0 || name.startsWith('*.')) return own;
  const wildcard = `*.${name.split('.').slice(1).join('.')}`;
  return records.filter((record) => record.name === wildcard).map((record) => ({ ...record, name }));
}

function resolve(servers: readonly TestServer[], question: Question): Found {
  const records = servers.find(({ fault }) => fault === null)?.records ?? servers[0]?.records ?? [];
  const found = answerOf(records, [], question);
  const [alias] = found.answers.filter(({ type }) => type === 'CNAME' && type !== question.type);
  const more = alias === undefined ? [] : resolve(servers, { ...question, name: alias.data }).answers;
  return { ...found, answers: [...found.answers, ...more], isAuthoritative: false };
}

type Lookup = (question: Question) => Found;

interface Listening {
  readonly server: TestServer;
  readonly look: Lookup;
}

const TRIES = 10;

/** Opens all servers on one port that is free for each of them. */
async function listenAll(all: readonly Listening[]): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const opened: Opened[] = [];
    const close = async (): Promise<void> => void (await Promise.all(opened.map(shut)));
    try {
      let port = 0;
      for (const one of all) port = await listen(one, port, opened);
      onTestFinished(close);
      return port;
    } catch (error) {
      await close();
      if (tries === TRIES) throw error;
    }
  }
}

type Opened = Socket | Server;

async function listen({ server, look }: Listening, wanted: number, opened: Opened[]): Promise<number> {
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      for (const answer of answersTo(server, packet.decode(bytes, 2), look, 'tcp'))
        socket.write(packet.streamEncode(answer));
    });
  });
  tcp.listen(wanted, server.address);
  await once(tcp, 'listening');
  opened.push(tcp);
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket(server.address.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', (bytes, { port: to, address }) => {
    for (const answer of answersTo(server, packet.decode(bytes), look, 'udp'))
      udp.send(packet.encode(answer), to, address);
  });
  udp.bind(port, server.address);
  await once(udp, 'listening');
  opened.push(udp);
  return port;
}

async function shut(socket: Opened): Promise<void> {
  const closed = once(socket, 'close');
  socket.close();
  await closed;
}

/** Returns the packets that a server sends for a question. */
export function answersTo(
  server: TestServer,
  query: DecodedPacket,
  look: Lookup,
  by: 'udp' | 'tcp',
): readonly Packet[] {
  server.asked += 1;
  const [question = { name: '.', type: 'A' as const }] = query.questions ?? [];
  const found = look({ name: question.name.toLowerCase(), type: question.type });
  const whole = packetOf(query, found);
  switch (server.fault) {
    case 'silent':
      return [];
    case 'servfail':
      return [{ ...packetOf(query, NOTHING), flags: 2 }];
    case 'lame':
      return [packetOf(query, NOTHING)];
    case 'truncated':
      return by === 'tcp' ? [whole] : [{ ...packetOf(query, NOTHING), flags: packet.TRUNCATED_RESPONSE }];
    case 'other':
      return [
        { ...packetOf(query, NOTHING), id: (query.id ?? 0) ^ 1 },
        { ...packetOf(query, NOTHING), questions: [{ name: 'other.example', type: 'MX' }] },
        whole,
      ];
    case null:
      return [whole];
  }
}

const NOTHING: Found = { code: 0, answers: [], authorities: [], isAuthoritative: false };

function packetOf(query: DecodedPacket, { code, answers, authorities, isAuthoritative }: Found): Packet {
  return {
    type: 'response',
    id: query.id ?? 0,
    flags: code | (isAuthoritative ? packet.AUTHORITATIVE_ANSWER : 0),
    questions: query.questions ?? [],
    answers: answers.map(encoded),
    authorities: authorities.map(encoded),
  };
}

function encoded({ name, type, ttl, data }: TestRecord): Answer {
  const own = { name, ttl };
  switch (type) {
    case 'MX': {
      const [preference, exchange = '.'] = data.split(' ');
      return { ...own, type, data: { preference: Number(preference), exchange } };
    }
    case 'SOA':
      return {
        ...own,
        type,
        data: { mname: 'ns1.dns.example', rname: 'host.dns.example', minimum: Number(data) },
      };
    default:
      return { ...own, type, data };
  }
}
