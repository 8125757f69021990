import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import type { DnsServer } from '../../../client/dns/dns.ts';
import { usageError } from '../../exit.ts';

const DNS_PORT = 53;
const HTTPS_PORT = 443;

/** The resolver, and the ports on which other servers are asked. */
export interface ResolverSettings {
  readonly resolver: DnsServer;
  readonly serverPort: number;
  readonly policyPort: number;
}

/**
 * With a resolver on loopback, the other servers are asked on its port, too: a test has all of them there. On the port
 * of DNS it is a resolver of this machine, and policy files are where they always are.
 */
export function resolverSettings(given: string | undefined): ResolverSettings {
  const resolver = given === undefined ? systemResolver() : parseServer(given);
  const isLocal = given !== undefined && /^(?:127\.|::1$)/.test(resolver.host);
  return {
    resolver,
    serverPort: isLocal ? resolver.port : DNS_PORT,
    policyPort: isLocal && resolver.port !== DNS_PORT ? resolver.port : HTTPS_PORT,
  };
}

function systemResolver(): DnsServer {
  const [first] = getServers();
  if (first !== undefined) return parseServer(first);
  throw usageError('this system names no DNS resolver', 'name one with --resolver');
}

/** Parses `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` and `[2001:db8::1]:53`. */
function parseServer(text: string): DnsServer {
  const [, bracketed, plain, number] =
    /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? (isIP(text) === 6 ? [text, text] : []);
  const host = bracketed ?? plain ?? '';
  const port = number === undefined ? DNS_PORT : Number(number);
  if (isIP(host) !== 0 && port > 0 && port <= 65_535) return { host, port };
  throw usageError(
    `--resolver ${text} is not the address of a resolver`,
    'write ADDRESS or ADDRESS:PORT, such as 9.9.9.9 or [::1]:5353',
  );
}
