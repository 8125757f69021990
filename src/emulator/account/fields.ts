import { invalid, ok, type StoreResult } from './model.ts';
import type { Switches } from './switches.ts';

const MAX_NAME_LENGTH = 150;
const MIN_PASSWORD_LENGTH = 8;
const HOST =
  /^(?=.{1,253}$)[\p{L}\p{N}$_]([\p{L}\p{N}$_-]*[\p{L}\p{N}$_])?(\.[\p{L}\p{N}$_]([\p{L}\p{N}$_-]*[\p{L}\p{N}$_])?)+$/u;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;
const FORBIDDEN_IN_NAME = /[\s@,/\u0000-\u001f\u007f]/u;

/** The lower-case form of a domain name, or why it is none. */
export function checkDomainName(text: string): StoreResult<string> {
  const name = text.toLowerCase();
  if (name === '') return invalid('domain', 'The domain is required.');
  if (!DOMAIN.test(name)) return invalid('domain', `"${text}" is not a valid domain name.`);
  return ok(name);
}

/** An alias name is a local part, `*` or a regular expression, of at most 150 characters. */
export function checkAliasName(text: string, field: 'alias' | 'username'): StoreResult<string> {
  if (text === '') return invalid(field, `The ${field} is required.`);
  if (text.length > MAX_NAME_LENGTH) {
    return invalid(field, `The ${field} may have at most ${MAX_NAME_LENGTH} characters.`);
  }
  if (FORBIDDEN_IN_NAME.test(text)) return invalid(field, `"${text}" is not a valid ${field}.`);
  return ok(text);
}

/**
 * Destinations are addresses, http(s) addresses or the word `null`, separated by commas. Gives the text to store, which
 * is the text sent unless `forwardEcho` says otherwise.
 */
export function checkForward(text: string, domain: string, switches: Switches): StoreResult<string> {
  if (text.trim() === '') return invalid('forward', 'The forward is required.');
  const entries = text.split(',').map((entry) => entry.trim());
  for (const entry of entries) {
    if (!isDestination(entry)) {
      return invalid('forward', `"${entry}" is an invalid forward address.`);
    }
    if (switches.ownDomainForward === 'refuse' && isOnDomain(entry, domain)) {
      return invalid('forward', `"${entry}" is an invalid forward address: it is on the domain itself.`);
    }
  }
  return ok(echo(text, entries, switches));
}

export function checkNotificationEmail(
  text: string,
  domain: string,
  switches: Switches,
): StoreResult<string> {
  if (!isAddress(text)) {
    return invalid('notification_email', `"${text}" is not a valid email address.`);
  }
  if (switches.ownDomainForward === 'refuse' && isOnDomain(text, domain)) {
    return invalid('notification_email', 'The notification email cannot be on the domain itself.');
  }
  return ok(text);
}

export function checkPassword(text: string): StoreResult<string> {
  if (text.length < MIN_PASSWORD_LENGTH) {
    return invalid('password', `The password must have at least ${MIN_PASSWORD_LENGTH} characters.`);
  }
  return ok(text);
}

function isDestination(entry: string): boolean {
  return entry === 'null' || isAddress(entry) || isWebhook(entry);
}

/** Addresses may hold `$1`, a capture group of a regular expression alias. */
function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1) return false;
  return !/[\s@,<>\u0000-\u001f\u007f]/u.test(text.slice(0, at)) && HOST.test(text.slice(at + 1));
}

export function isWebhook(text: string): boolean {
  return /^https?:\/\/[^\s/][^\s\u0000-\u001f\u007f]*$/iu.test(text) && URL.canParse(text);
}

function isOnDomain(entry: string, domain: string): boolean {
  return entry.toLowerCase().endsWith(`@${domain}`);
}

function echo(text: string, entries: readonly string[], switches: Switches): string {
  switch (switches.forwardEcho) {
    case 'as-sent':
      return text;
    case 'compact':
      return entries.map(withLowerHost).join(',');
    case 'spaced':
      return entries.join(', ');
    case 'reversed':
      return entries.toReversed().join(',');
    case 'lower-case':
      return entries.map((entry) => (isWebhook(entry) ? entry : entry.toLowerCase())).join(',');
  }
}

function withLowerHost(entry: string): string {
  const at = entry.lastIndexOf('@');
  return at < 1 || isWebhook(entry) ? entry : entry.slice(0, at) + entry.slice(at).toLowerCase();
}
