import { isLoopback } from '../../core/model/endpoints.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';

/** A mail server, and between whom mail goes. */
export interface MailTarget {
  readonly host: string;
  readonly port: number;
  /** `starttls` sends nothing without TLS; on loopback, `optional` may. */
  readonly tls: 'implicit' | 'starttls' | 'optional';
  readonly login: { readonly user: string; readonly pass: string } | null;
  readonly from: string;
  readonly to: readonly string[];
}

/** An address that needs no quoting in a header and no extension of SMTP. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d.-]{1,253}$/i;

/** True if an address is one of a mail server. */
export function isMailUrl(text: string): boolean {
  return /^smtps?:/i.test(text);
}

/** Parses `smtps://user:password@host/?from=A&to=B,C`. The error has no part of the address, which is a secret. */
export function parseMailUrl(text: string): Result<MailTarget, string> {
  if (!isMailUrl(text) || !URL.canParse(text))
    return fail('it is not smtps://user:password@host/?from=A&to=B');
  const url = new URL(text);
  const { hostname, username, password } = url;
  const fault = partsFault(url);
  if (fault !== null) return fail(fault);
  const login = loginOf(username, password);
  if (!login.ok) return login;
  const { from, to } = peopleOf(url);
  const isImplicit = url.protocol === 'smtps:';
  const plain = isLoopback(hostname.toLowerCase()) ? 'optional' : 'starttls';
  return succeed({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || (isImplicit ? 465 : 587)),
    tls: isImplicit ? 'implicit' : plain,
    login: login.value,
    from,
    to,
  });
}

function partsFault(url: URL): string | null {
  const { from, to, others } = peopleOf(url);
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash !== '' || others)
    return 'it has parts other than user, password, host, port, from and to, or no host';
  if (!ADDRESS.test(from)) return 'from= is not one address';
  return to.every((address) => ADDRESS.test(address))
    ? null
    : 'to= is not a list of addresses, separated by commas';
}

/** Returns whom the query names, and whether it names anything else. */
function peopleOf({ search }: URL): Pick<MailTarget, 'from' | 'to'> & { readonly others: boolean } {
  // A plus sign belongs to the address, and is no space.
  const query = new URLSearchParams(search.replaceAll('+', '%2B'));
  return {
    from: query.getAll('from').join(','),
    to: query.getAll('to').join(',').split(','),
    others: [...query.keys()].some((name) => name !== 'from' && name !== 'to'),
  };
}

function loginOf(username: string, password: string): Result<MailTarget['login'], string> {
  if (username === '' && password === '') return succeed(null);
  try {
    return succeed({ user: decodeURIComponent(username), pass: decodeURIComponent(password) });
  } catch {
    return fail('user or password has a % that is not written as %25');
  }
}
