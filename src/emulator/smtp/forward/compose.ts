import { Buffer } from 'node:buffer';
import { authenticate, dkimSign, sealMessage, type AuthenticateResult } from 'mailauth';
import { headerFields, headerLength, headerLine, headerValue, mailDate, withHeader } from '../headers.ts';
import { MAIL_HOST } from '../../logs/logs-events.ts';
import type { MailOrigin, QueuedMail } from '../mail.ts';
import type { SigningKeys } from '../world/keys.ts';
import { SELECTOR, SERVICE_DOMAIN, type WorldResolver } from '../world/world.ts';

export interface ComposeParts {
  readonly keys: SigningKeys;
  readonly world: WorldResolver;
}

interface ForwardedMail {
  readonly mail: QueuedMail;
  readonly raw: Buffer;
  /** The account's address that the mail was sent to. */
  readonly recipient: string;
}

/**
 * Returns a `composeForward` that reuses the last result: consecutive destinations of one recipient share one check and one
 * seal.
 */
export function createComposer(parts: ComposeParts): (forwarded: ForwardedMail) => Promise<Buffer> {
  let last: { readonly key: string; readonly content: Promise<Buffer> } | null = null;
  return (forwarded) => {
    const key = `${forwarded.mail.id} ${forwarded.recipient}`;
    if (last?.key !== key) last = { key, content: composeForward(parts, forwarded) };
    return last.content;
  };
}

/**
 * Composes the mail that an address of the account forwards: it adds the results of the sender checks and an ARC seal. It
 * changes nothing that the sender may have signed. The exception is a mail that only SPF authenticates: the next server
 * would refuse it, so `From` is rewritten.
 */
async function composeForward(
  { keys, world }: ComposeParts,
  { mail, raw, recipient }: ForwardedMail,
): Promise<Buffer> {
  const received = withHeader(receivedLine(mail), raw);
  const seal = {
    signingDomain: SERVICE_DOMAIN,
    selector: SELECTOR,
    privateKey: keys.privateKey,
    signTime: new Date(mail.receivedAt),
  };
  const checked = await checkSender(received, mail, world, seal);
  if (!losesItsSender(checked)) return withHeader(checked.headers, received);
  const rewritten = rewriteFrom(received, recipient);
  const signed = await signMail(rewritten, domainPart(recipient), { keys, now: mail.receivedAt });
  const { authResults, status } =
    checked.arc === false ? { authResults: undefined, status: undefined } : checked.arc;
  const sealed = await sealMessage(signed, {
    ...seal,
    authResults: authResults ?? '',
    cv: status?.result ?? 'none',
  });
  const results = checked.headers.replace(/^(?:ARC-[\s\S]*?\r\n(?![ \t]))+/, '');
  return Buffer.concat([sealed, Buffer.from(results), signed]);
}

/** True if only the sender's SPF passed, and the sender's domain wants mail refused if neither SPF nor DKIM passes. */
function losesItsSender({ dmarc }: AuthenticateResult): boolean {
  if (dmarc === false || dmarc.status.result !== 'pass') return false;
  return ['quarantine', 'reject'].includes(dmarc.policy) && dmarc.alignment.dkim.result === undefined;
}

/** Checks SPF, DKIM, DMARC and ARC of a mail with the emulated DNS records. */
function checkSender(
  raw: Buffer,
  { sender, origin }: QueuedMail,
  resolver: WorldResolver,
  seal: object,
): Promise<AuthenticateResult> {
  return authenticate(raw, {
    sender,
    ip: origin.ip,
    helo: origin.helo,
    mta: MAIL_HOST,
    resolver,
    disableBimi: true,
    // Strict as in the RFCs, so that other programs get the same results.
    strict: true,
    seal: seal as NonNullable<Parameters<typeof authenticate>[1]>['seal'] & object,
  });
}

/** Adds the DKIM signature of a domain of the account. */
export async function signMail(
  raw: Buffer,
  domain: string,
  { keys, now }: { readonly keys: SigningKeys; readonly now: number },
): Promise<Buffer> {
  const own = { signingDomain: domain, selector: SELECTOR, privateKey: keys.privateKey };
  // The types require the first signature twice.
  const signed = await dkimSign(raw, { ...own, signTime: new Date(now), signatureData: [own] });
  const [failed] = signed.errors;
  if (failed !== undefined) throw failed.err;
  return withHeader(signed.signatures, raw);
}

/** Returns the trace header (RFC 5321: Trace information). */
export function receivedLine({ id, origin, receivedAt }: QueuedMail): string {
  return (
    `Received: from ${clean(origin.helo)} (${addressLiteral(origin)})\r\n` +
    ` by ${MAIL_HOST} with ${origin.protocol} id ${id};\r\n ${mailDate(receivedAt)}\r\n`
  );
}

function addressLiteral({ ip }: MailOrigin): string {
  return ip.includes(':') ? `[IPv6:${ip}]` : `[${ip}]`;
}

function clean(text: string): string {
  return text.replaceAll(/[^\w.:[\]-]/g, '?').slice(0, 255) || 'unknown';
}

/** Rewrites `From` to the address that the mail was sent to. Replies still go to the sender. */
function rewriteFrom(raw: Buffer, recipient: string): Buffer {
  const fields = headerFields(raw);
  const from = headerValue(fields, 'from') ?? '';
  const name = nameOf(from, domainPart(recipient));
  const rest = fields.filter(({ name }) => name !== 'from').map(({ raw }) => raw);
  const reply = fields.some(({ name }) => name === 'reply-to') ? '' : headerLine('Reply-To', from);
  const head = `${headerLine('From', `${name} <${recipient}>`)}${reply}${rest.join('')}`;
  return Buffer.concat([Buffer.from(head, 'latin1'), raw.subarray(headerLength(raw))]);
}

/** Returns the display name for `From`. Encoded words stay outside of quotes, because programs do not decode them within. */
function nameOf(from: string, domain: string): string {
  const written = from.replace(/<[^<>]*>\s*$/, '').trim();
  if (written.includes('=?')) return `${written} "via ${domain}"`;
  const plain = (written === '' ? from : written).replaceAll('@', ' at ').replaceAll(/[<>"\\]/g, ' ');
  return `"${plain.replaceAll(/\s+/g, ' ').trim().slice(0, 200)} via ${domain}"`;
}

function domainPart(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
