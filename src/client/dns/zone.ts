import { fail, succeed, type Result } from '../../core/model/result.ts';
import {
  recordsOf,
  type Dns,
  type DnsAnswer,
  type DnsFault,
  type ResourceRecordOf,
  type DnsServer,
  type DnsType,
} from './dns.ts';

/** A resolver that is asked for whole answers. */
export interface Resolver {
  /** Returns the records of a type at a name, also through a CNAME; none if there is no such name. */
  look<T extends DnsType>(name: string, type: T): Promise<Result<readonly ResourceRecordOf<T>[], DnsFault>>;
}

export function createResolver(dns: Dns, server: DnsServer): Resolver {
  return {
    async look(name, type) {
      const answer = await dns.ask(server, { name, type }, 'recursive');
      const about = `${name} ${type}`;
      if (!answer.ok)
        return fail({ message: `the resolver ${shownServer(server)} (${about}): ${answer.error.message}` });
      const { code, answers } = answer.value;
      if (code === 'NOERROR' || code === 'NXDOMAIN') return succeed(recordsOf(answers, type));
      return fail({ message: `the resolver ${shownServer(server)} answered ${code} (${about})` });
    },
  };
}

/** One address of a server of a zone. */
export interface ZoneServer {
  readonly name: string;
  readonly server: DnsServer;
}

export interface Zone {
  readonly name: string;
  readonly servers: readonly ZoneServer[];
  /** Names of servers without an address, each with the reason. */
  readonly unknown: readonly { readonly name: string; readonly reason: string }[];
}

/** A zone has at most 13 servers by custom; this bounds what a hostile one can make us ask. */
const MOST_SERVERS = 20;
const MOST_ADDRESSES = 4;

/** Finds the zone of a name, which is the nearest name with an SOA record, and the addresses of its servers. */
export async function findZone(
  resolver: Resolver,
  name: string,
  port: number,
): Promise<Result<Zone, DnsFault>> {
  const apex = await findApex(resolver, name);
  if (!apex.ok) return apex;
  const listed = await resolver.look(apex.value, 'NS');
  if (!listed.ok) return listed;
  const names = [...new Set(listed.value.map(({ value }) => value))].slice(0, MOST_SERVERS).sort();
  if (names.length === 0) return fail({ message: `the zone ${apex.value} has no NS records` });
  const found = await Promise.all(names.map((server) => findAddresses(resolver, server, port)));
  return succeed({
    name: apex.value,
    servers: found.flatMap(({ servers }) => servers),
    unknown: found.flatMap(({ unknown }) => unknown),
  });
}

async function findApex(resolver: Resolver, name: string): Promise<Result<string, DnsFault>> {
  for (let rest = name; rest !== ''; rest = rest.split('.').slice(1).join('.')) {
    const found = await resolver.look(rest, 'SOA');
    if (!found.ok) return found;
    if (found.value.some((record) => record.name === rest)) return succeed(rest);
  }
  return fail({ message: `no name from ${name} upwards has an SOA record` });
}

async function findAddresses(
  resolver: Resolver,
  name: string,
  port: number,
): Promise<Pick<Zone, 'servers' | 'unknown'>> {
  const addresses = await lookAddresses(resolver, name);
  if (!addresses.ok) return { servers: [], unknown: [{ name, reason: addresses.error.message }] };
  if (addresses.value.length === 0) return { servers: [], unknown: [{ name, reason: 'it has no address' }] };
  return { servers: addresses.value.map((host) => ({ name, server: { host, port } })), unknown: [] };
}

/** Returns the IPv4 and IPv6 addresses of a host. */
export async function lookAddresses(
  resolver: Resolver,
  host: string,
): Promise<Result<readonly string[], DnsFault>> {
  const [v4, v6] = await Promise.all([resolver.look(host, 'A'), resolver.look(host, 'AAAA')]);
  if (!v4.ok && !v6.ok) return v4;
  const found = [...(v4.ok ? v4.value : []), ...(v6.ok ? v6.value : [])];
  return succeed(found.map(({ value }) => value).slice(0, MOST_ADDRESSES));
}

/** Returns how long resolvers keep in mind that there is no such record, in seconds; null if the answer does not say. */
export function negativeTtl({ authorities }: DnsAnswer): number | null {
  const [soa] = recordsOf(authorities, 'SOA');
  return soa === undefined ? null : Math.min(soa.ttl, soa.minimum);
}

export function shownServer({ host, port }: DnsServer): string {
  const address = host.includes(':') ? `[${host}]` : host;
  return port === 53 ? host : `${address}:${port}`;
}
