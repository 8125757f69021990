import { fail, succeed, type Result } from '../../../core/model/result.ts';

/** The address of a database, given as `postgres://USER:PASSWORD@HOST:PORT/NAME`. */
export interface StoreAddress {
  /** A host name, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** Undefined values, here and below, come from PostgreSQL's variables (PGUSER, PGPASSWORD) and ~/.pgpass. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  /** `verified`: the server must have a certificate for its name, issued by an authority of the system or of `authority`. */
  readonly tls: 'off' | 'verified';
  /** A file of certificates in PEM format. null means the authorities that Node.js knows. */
  readonly authority: string | null;
}

/** The reason why a URL is refused. It never repeats the URL, which may contain a password. */
export interface StoreUrlFault {
  readonly message: string;
  readonly hint: string;
}

const PARAMETERS: ReadonlySet<string> = new Set(['sslmode', 'sslrootcert', 'host']);
const FORM = 'write it as postgres://USER@HOST:5432/DATABASE';

/**
 * Parses the URL of a store. Except on loopback, TLS is always on and verified. Parameters: `sslmode=verify-full` (also on
 * loopback), `sslmode=disable` (only on loopback), `sslrootcert=FILE`, `host=/DIRECTORY` of a Unix socket.
 */
export function parseStoreUrl(text: string): Result<StoreAddress, StoreUrlFault> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    return fail({ message: 'it is not the URL of a PostgreSQL database', hint: FORM });
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined)
    return fail({
      message: `it has the unknown parameter ${JSON.stringify(unknown)}`,
      hint: 'use only sslmode, sslrootcert and host',
    });
  const named = partsOf(url);
  if (named === null) return fail({ message: 'it does not name a host and a database', hint: FORM });
  const mode = url.searchParams.get('sslmode');
  const tls = tlsOf(mode, isLocal(named.host));
  if (tls !== null) return succeed({ ...named, tls, authority: url.searchParams.get('sslrootcert') });
  return fail({
    message: `sslmode=${mode} is not secure enough for a store on another machine, or not known`,
    hint: 'leave it out, or use sslmode=verify-full, with sslrootcert=FILE for your own certificate authority',
  });
}

/** Returns the parts of a URL, or null if host or database are missing or a part cannot be decoded. */
function partsOf(url: URL): Omit<StoreAddress, 'tls' | 'authority'> | null {
  const host = url.searchParams.get('host') ?? url.hostname.replace(/^\[(.*)\]$/, '$1');
  const parts = [host, url.pathname.slice(1), url.username, url.password].map(decode);
  const [place, database, user, password] = parts;
  if (!place || !database || parts.includes(null)) return null;
  return {
    host: place,
    port: url.port === '' ? 5432 : Number(url.port),
    user: user || undefined,
    password: password || undefined,
    database,
  };
}

/** True if the text contains a password, in any place where one is possible. */
export function hasPassword(text: string): boolean {
  if (/[?&]password=/i.test(text)) return true;
  return URL.canParse(text) ? new URL(text).password !== '' : /:[^/@]*@/.test(text.replace(/^\w+:/, ''));
}

function tlsOf(mode: string | null, local: ReturnType<typeof isLocal>): StoreAddress['tls'] | null {
  if (mode === 'verify-full') return 'verified';
  if (mode === null) return local ? 'off' : 'verified';
  return mode === 'disable' && local ? 'off' : null;
}

function isLocal(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Decodes a part. Returns null if its percent-encoding is invalid. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
