import { isIP } from 'node:net';
import { normaliseDestination, type Destination } from '../../../model/destinations.ts';
import { domainPartOf, findInvisible, localPartOf, parseDomainName } from '../../../model/names.ts';
import { fail, succeed, type Result } from '../../../model/result.ts';
import { memoise } from '../../../model/text/memoise.ts';
import type { ProblemCode } from '../../problem-codes.ts';

/** A fault of an address or webhook. The text itself is not repeated, because it may come from a reference. */
export interface DestinationFault {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
}

export interface ParsedDestination {
  readonly destination: Destination;
  readonly warning: DestinationFault | null;
}

const MAX_LENGTH = 2_000;

/** Parses a destination: a text with `://` is a webhook, one with `@` an address. Returns null for anything else. */
export function parseDestination(text: string): Result<ParsedDestination, DestinationFault> | null {
  if (text.includes('://')) return check(text) ?? parseWebhook(text);
  if (text.includes('@')) return check(text) ?? parseAddress(text);
  return null;
}

export function parseAddress(text: string): Result<ParsedDestination, DestinationFault> {
  const written = /^[^\s@"<>()[\]:;\\/]{1,64}$/.test(localPartOf(text));
  if (written && text.length <= 320 && isHost(domainPartOf(text))) {
    return succeed({ destination: normaliseDestination(text), warning: null });
  }
  return faulty('invalid-address', 'this is not an email address', 'write it as name@domain.example');
}

/** Parses a webhook: an absolute http or https URL without user information. */
export function parseWebhook(text: string): Result<ParsedDestination, DestinationFault> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || /\s/.test(text)) {
    return faulty('invalid-webhook', 'this is not an http or https address', 'write it as https://host/path');
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'put a token into the path or query, behind a reference';
    return faulty('webhook-credentials', 'a webhook must not hold a user name or password', hint);
  }
  return succeed({ destination: normaliseDestination(text), warning: warningFor(url) });
}

function check(text: string): Result<never, DestinationFault> | null {
  if (text.includes(',')) {
    const hint = 'write a list: [a@x.example, b@x.example]; in a webhook, write %2C';
    return faulty('comma-in-destination', 'a destination must not contain a comma', hint);
  }
  if (text.length > MAX_LENGTH) {
    return faulty(
      'invalid-destination',
      `a destination is longer than ${MAX_LENGTH} characters`,
      'shorten it',
    );
  }
  if (!text.includes('://')) {
    if (/<[^<>]*@[^<>]*>$/.test(text))
      return faulty(
        'invalid-address',
        'a destination is the address alone, without a name',
        'write the address only',
      );
    if (text.includes(';')) {
      const hint = 'write a list: [a@x.example, b@x.example]';
      return faulty('invalid-address', 'a semicolon does not separate destinations', hint);
    }
  }
  if (findInvisible(text) === null) return null;
  const hint = 'delete it and type the destination again';
  return faulty('invalid-character', 'a destination must not contain spaces or invisible characters', hint);
}

/** True if the text is the name of a host. Most aliases share a few. */
const isHost = memoise((host) => parseDomainName(host).ok);

function warningFor(url: URL): DestinationFault | null {
  if (isPrivate(url.hostname)) {
    return {
      code: 'private-webhook',
      message: 'the host of the webhook is an address of a private network, which the service cannot reach',
      hint: 'name a host that is reachable from the internet',
    };
  }
  if (url.protocol === 'https:') return null;
  return {
    code: 'plain-http',
    message: 'the webhook is plain http: mail will travel unencrypted',
    hint: 'use https',
  };
}

function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost') return true;
  if (isIP(host) === 6) return /^(?:::1?$|f[cd]|fe[89ab]|::ffff:)/i.test(host);
  return (
    isIP(host) === 4 &&
    /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    )
  );
}

function faulty(code: ProblemCode, message: string, hint: string): Result<never, DestinationFault> {
  return fail({ code, message, hint });
}
