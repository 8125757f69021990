import { ok } from '../checked.ts';
import { optionalField, problem, requiredText, textField, type Field } from './body.ts';
import type { Switches } from '../switches.ts';

const MAX_NAME_LENGTH = 150;
const MIN_PASSWORD_LENGTH = 8;
const HOST =
  /^(?=.{1,253}$)[\p{L}\p{N}$_]([\p{L}\p{N}$_-]*[\p{L}\p{N}$_])?(\.[\p{L}\p{N}$_]([\p{L}\p{N}$_-]*[\p{L}\p{N}$_])?)+$/u;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;
const FORBIDDEN_IN_NAME = /[\s@,/\u0000-\u001f\u007f]/u;

export const flagField = optionalField(
  (value: unknown): value is boolean => typeof value === 'boolean',
  'a boolean',
);

export const domainNameField: Field<string> = textField((text) =>
  DOMAIN.test(text.toLowerCase()) ? null : `"${text}" is not a valid domain name.`,
);

/** An alias name or a username: a local part, `*` or a regular expression, at most 150 characters long. */
export const nameField: Field<string> = (value, name) =>
  textField((text) => {
    if (text.length > MAX_NAME_LENGTH) return `The ${name} may have at most ${MAX_NAME_LENGTH} characters.`;
    return FORBIDDEN_IN_NAME.test(text) ? `"${text}" is not a valid ${name}.` : null;
  })(value, name);

export const passwordField: Field<string> = textField((text) =>
  text.length < MIN_PASSWORD_LENGTH
    ? `The password must have at least ${MIN_PASSWORD_LENGTH} characters.`
    : null,
);

/**
 * Returns a field of destinations: addresses, http(s) addresses or the word `null`, separated by commas. Its value is the
 * text to store, which is the text sent unless `forwardEcho` says otherwise.
 */
export function forwardField(domain: string, switches: Switches): Field<string> {
  return (value, name) => {
    const text = requiredText(value, name);
    if (!text.ok) return text;
    const entries = text.value.split(',').map((entry) => entry.trim());
    if (text.value.trim() === '') return problem(`The ${name} is required.`);
    for (const entry of entries) {
      const fault = destinationFault(entry, domain, switches);
      if (fault !== null) return problem(fault);
    }
    return ok(echo(text.value, entries, switches));
  };
}

/**
 * Returns a field for a setting of a domain whose value is `current` now. An empty text, which some clients always send,
 * counts as left out. The switch `nullOnUpdate` decides what null does.
 */
export function settingField(
  current: string | null,
  onNull: Switches['nullOnUpdate'],
  fault: (text: string) => string | null,
): Field<string | null | undefined> {
  return (value, name) => {
    if (value === undefined || value === '') return ok(undefined);
    if (value === null && onNull !== 'refuse') return ok(onNull === 'clear' ? null : current);
    return textField(fault)(value, name);
  };
}

export function notificationEmailFault(text: string, domain: string, switches: Switches): string | null {
  if (!isAddress(text)) return `"${text}" is not a valid email address.`;
  return switches.ownDomainForward === 'refuse' && isOnDomain(text, domain)
    ? 'The notification email cannot be on the domain itself.'
    : null;
}

export function webhookFault(text: string): string | null {
  return isWebhook(text) ? null : `"${text}" is not a valid URL.`;
}

function destinationFault(entry: string, domain: string, switches: Switches): string | null {
  const isDestination = entry === 'null' || isAddress(entry) || isWebhook(entry);
  if (!isDestination) return `"${entry}" is an invalid forward address.`;
  return switches.ownDomainForward === 'refuse' && isOnDomain(entry, domain)
    ? `"${entry}" is an invalid forward address: it is on the domain itself.`
    : null;
}

/** True for an address. It may hold `$1`, a capture group of a regular expression alias. */
function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1) return false;
  return !/[\s@,<>\u0000-\u001f\u007f]/u.test(text.slice(0, at)) && HOST.test(text.slice(at + 1));
}

function isWebhook(text: string): boolean {
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
