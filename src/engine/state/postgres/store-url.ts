import { fail, succeed, type Result } from '../../../core/model/result.ts';

/** A database, as `postgres://USER:PASSWORD@HOST:PORT/NAME` names it. */
export interface StoreAddress {
  /** A host, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** Undefined, here and below: what PostgreSQL's own variables (PGUSER, PGPASSWORD) and ~/.pgpass say. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  /** `verified`: the server must show a certificate for its name, of the system's authorities or of `authority`. */
  readonly tls: 'off' | 'verified';
  /** A file of certificates in PEM form; null: those that Node.js knows. */
  readonly authority: string | null;
}

/** What is wrong with the text; it never repeats the text, which may hold a password. */
export interface StoreUrlFault {
  readonly message: string;
  readonly hint: string;
}

const PARAMETERS: ReadonlySet<string> = new Set(['sslmode', 'sslrootcert', 'host']);
const FORM = 'write it as postgres://USER@HOST:5432/DATABASE';

/**
 * The URL of a store. Off loopback TLS is always on and verified. Parameters: `sslmode=verify-full` (also on loopback),
 * `sslmode=disable` (on loopback only), `sslrootcert=FILE`, `host=/DIRECTORY` of a Unix socket.
 */
export function parseStoreUrl(text: string): Result<StoreAddress, StoreUrlFault> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    return fail({ message: 'it is not the URL of a PostgreSQL database', hint: FORM });
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined)
    return fail({
      message: `it has the parameter ${JSON.stringify(unknown)}`,
      hint: 'use sslmode, sslrootcert and host alone',
    });
  const named = partsOf(url);
  if (named === null) return fail({ message: 'it does not name a host and a database', hint: FORM });
  const mode = url.searchParams.get('sslmode');
  const tls = tlsOf(mode, isLocal(named.host));
  if (tls !== null) return succeed({ ...named, tls, authority: url.searchParams.get('sslrootcert') });
  return fail({
    message: `sslmode=${mode} is not secure enough for a store on another machine, or not known`,
    hint: 'leave it out, or use sslmode=verify-full, with sslrootcert=FILE for a certificate authority of your own',
  });
}

/** Null: host or database are missing, or a part does not decode. */
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

/** Whether the text has a password in it, wherever a password may stand. */
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

/** Null: it is not percent-encoded as it should be. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
