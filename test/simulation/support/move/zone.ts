import packet from 'dns-packet';
import type { Dns, DnsAnswer, DnsQuestion, DnsServer } from '../../../../src/client/dns/dns.ts';
import { decodeAnswer, encodeQuestion } from '../../../../src/client/dns/packets.ts';
import { negativeTtl } from '../../../../src/client/dns/zone.ts';
import { fail, succeed } from '../../../../src/core/model/result.ts';
import {
  answerOf,
  answersTo,
  type TestRecord,
  type TestServer,
  type TestType,
} from '../../../support/dns/dns-server.ts';

/** A server that receives each change of the zone later than the first server. */
export interface LaggingServer extends TestServer {
  readonly lagMs: number;
  readonly pending: { readonly at: number; readonly records: readonly TestRecord[] }[];
}

/** A zone on servers that change one after another, without sockets. */
export interface LaggingZone {
  readonly servers: readonly LaggingServer[];
  /** The records at the first server. */
  records(): readonly TestRecord[];
  /** Replaces the records of a name and type. */
  put(name: string, type: TestType, data: readonly string[], ttl: number): void;
  /** Asks this server; null means no answer. */
  ask(server: LaggingServer, question: DnsQuestion): DnsAnswer | null;
  /** Asks any server that answers. */
  askAny(question: DnsQuestion): DnsAnswer | null;
}

export interface ZoneOptions {
  readonly domain: string;
  readonly records: readonly TestRecord[];
  /** One server for each. */
  readonly lagsMs: readonly number[];
  /** Index of a server that never answers; null means that all do. */
  readonly silent: number | null;
  readonly now: () => number;
  readonly random: () => number;
}

export function createZone({ domain, records, lagsMs, silent, now, random }: ZoneOptions): LaggingZone {
  const names = lagsMs.map((_, index) => `ns${index + 1}.dns.example`);
  let current: readonly TestRecord[] = [
    ...names.map((name): TestRecord => ({ name: domain, type: 'NS', ttl: 3600, data: name })),
    ...names.map((name, index): TestRecord => ({ name, type: 'A', ttl: 3600, data: addressOf(index) })),
    ...records,
  ];
  const servers = lagsMs.map((lagMs, index): LaggingServer => {
    const fault = index === silent ? 'silent' : null;
    const name = names[index] ?? '';
    return { name, address: addressOf(index), lagMs, records: current, fault, asked: 0, pending: [] };
  });
  const ask = (server: LaggingServer, question: DnsQuestion): DnsAnswer | null => {
    while ((server.pending[0]?.at ?? Infinity) <= now())
      server.records = server.pending.shift()?.records ?? server.records;
    const id = server.asked % 65_536;
    const query = packet.decode(encodeQuestion(id, question, { isRecursive: false, isFramed: false }));
    const [reply] = answersTo(server, query, (asked) => answerOf(server.records, [domain], asked), 'udp');
    return reply === undefined ? null : decodeAnswer(packet.encode(reply), id, question);
  };
  return {
    servers,
    ask,
    records: () => current,
    put(name, type, data, ttl) {
      const others = current.filter((record) => record.name !== name || record.type !== type);
      current = [...others, ...data.map((one): TestRecord => ({ name, type, ttl, data: one }))];
      for (const { lagMs, pending } of servers) pending.push({ at: now() + lagMs, records: current });
    },
    askAny(question) {
      const answering = servers.filter(({ fault }) => fault === null);
      const chosen = answering[Math.floor(random() * answering.length)];
      return chosen === undefined ? null : ask(chosen, question);
    },
  };
}

function addressOf(index: number): string {
  return `127.0.0.${index + 2}`;
}

/** A resolver that caches answers for their TTL, and missing records for the negative TTL. */
export interface CachingResolver {
  look(question: DnsQuestion): DnsAnswer | null;
  /** The cached answer to a question, and when it expires; null means none. */
  kept(question: DnsQuestion): Kept | null;
}

export interface Kept {
  readonly answer: DnsAnswer;
  readonly until: number;
}

export function createCache(zone: LaggingZone, now: () => number): CachingResolver {
  const cache = new Map<string, Kept>();
  const kept = ({ name, type }: DnsQuestion): Kept | null => {
    const found = cache.get(`${name} ${type}`);
    return found !== undefined && found.until > now() ? found : null;
  };
  return {
    kept,
    look(question) {
      const known = kept(question);
      if (known !== null) return known.answer;
      const asked = zone.askAny(question);
      if (asked === null) return null;
      const answer = { ...asked, isAuthoritative: false };
      const ttls = answer.answers.map(({ ttl }) => ttl);
      const seconds = ttls.length > 0 ? Math.min(...ttls) : (negativeTtl(asked) ?? 0);
      cache.set(`${question.name} ${question.type}`, { answer, until: now() + seconds * 1000 });
      return answer;
    },
  };
}

export const RESOLVER: DnsServer = { host: '127.0.0.1', port: 53 };

/** The DNS that `move` asks: a caching resolver, and the authoritative servers. */
export function dnsOf(zone: LaggingZone, resolver: CachingResolver): Dns {
  return {
    async ask({ host }, question, mode) {
      const server = zone.servers.find(({ address }) => address === host);
      const isOwn = mode === 'direct' && server !== undefined;
      const answer = isOwn ? zone.ask(server, question) : resolver.look(question);
      return answer === null ? fail({ message: 'no answer within 2 s' }) : succeed(answer);
    },
  };
}
