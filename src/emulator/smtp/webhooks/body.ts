import type { Buffer } from 'node:buffer';
import { addressParser, decodeWords, type Address, type Email } from 'postal-mime';
import { readLeafParts, type LeafPart } from './parts.ts';

interface WebhookPerson {
  readonly name: string | null;
  readonly email: string;
}

/**
 * The body of a webhook call for a mail (field notes: Routing, webhook destinations). A key is missing if the mail has no
 * value for it.
 */
export interface WebhookBody {
  readonly headers: Readonly<Record<string, WebhookPerson | string | readonly string[]>>;
  readonly from: WebhookPerson;
  readonly sender?: WebhookPerson;
  readonly 'return-path': WebhookPerson;
  readonly to: readonly WebhookPerson[];
  readonly cc?: readonly WebhookPerson[];
  readonly bcc?: readonly WebhookPerson[];
  readonly 'reply-to'?: readonly WebhookPerson[];
  readonly subject: string;
  readonly 'message-id'?: string;
  /** The date in its original form. */
  readonly date?: string;
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly text?: string;
  readonly html?: string;
  readonly inlines?: readonly WebhookFile[];
  readonly attachments?: readonly WebhookFile[];
}

interface WebhookFile {
  readonly type: string;
  readonly name: string | null;
  readonly content: string;
  readonly cid?: string;
  readonly description?: string;
}

interface WebhookMail {
  readonly email: Email;
  readonly raw: Buffer;
  /** The envelope sender. */
  readonly sender: string;
  readonly recipient: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
}

/** Builds the body of the call. */
export async function webhookBody({
  email,
  raw,
  sender,
  recipient,
  receivedAt,
}: WebhookMail): Promise<WebhookBody> {
  const parts = await readLeafParts(raw);
  const { subject = '', messageId } = email;
  const date = headerText(email, 'date');
  return {
    headers: otherHeaders(email),
    from: personIn(email.from) ?? { name: null, email: sender },
    ...ifDefined('sender', personIn(email.sender)),
    'return-path': { name: null, email: sender },
    to: email.to === undefined ? [{ name: null, email: recipient }] : email.to.flatMap(peopleOf),
    ...ifDefined('cc', email.cc?.flatMap(peopleOf)),
    ...ifDefined('bcc', email.bcc?.flatMap(peopleOf)),
    ...ifDefined('reply-to', email.replyTo?.flatMap(peopleOf)),
    subject,
    ...ifDefined('message-id', messageId),
    ...ifDefined('date', date),
    timestamp: Math.floor((epochOf(date) ?? receivedAt) / 1000),
    ...ifDefined('text', lastText(parts, 'text')),
    ...ifDefined('html', lastText(parts, 'html')),
    ...ifDefined('inlines', filesOf(parts, 'inline')),
    ...ifDefined('attachments', filesOf(parts, 'attachment')),
  };
}

function ifDefined<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

/** Headers to leave out of `headers`: those with their own key in the body, and those about the text's encoding. */
const NOT_AMONG_HEADERS = new Set([
  'from',
  'sender',
  'return-path',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'subject',
  'message-id',
  'date',
  'content-type',
  'content-transfer-encoding',
]);

function otherHeaders({ headers }: Email): WebhookBody['headers'] {
  const lists = new Map<string, string[]>();
  for (const { key, value } of headers) {
    if (NOT_AMONG_HEADERS.has(key)) continue;
    const list = lists.get(key) ?? [];
    lists.set(key, list);
    list.push(decoded(value));
  }
  return Object.fromEntries(
    [...lists].map(([key, list]) => [usualCapitals(key), singleValue(key, list) ?? list]),
  );
}

/** Returns the value of a header that occurs only once. */
function singleValue(key: string, [value = '']: readonly string[]): WebhookPerson | string | undefined {
  if (key === 'mime-version') return value;
  if (key !== 'delivered-to') return undefined;
  return addressParser(value).flatMap(peopleOf)[0] ?? { name: null, email: value };
}

const ACRONYMS = /^(?:arc|bimi|dkim|spf)$/;

/** Capitalizes a header name: `dkim-signature` becomes `DKIM-Signature`. */
function usualCapitals(key: string): string {
  return key
    .split('-')
    .map((word) =>
      ACRONYMS.test(word) ? word.toUpperCase() : word.slice(0, 1).toUpperCase() + word.slice(1),
    )
    .join('-');
}

function headerText({ headers }: Email, name: string): string | undefined {
  const value = headers.find(({ key }) => key === name)?.value;
  return value === undefined ? undefined : decoded(value);
}

function decoded(value: string): string {
  return decodeWords(value).replaceAll(/\s+/g, ' ').trim();
}

/** Parses an RFC 5322 date to epoch milliseconds. */
function epochOf(date = ''): number | null {
  const isWhole = /^(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{2,4} \d{1,2}:\d{2}/i.test(date);
  const epoch = isWhole ? Date.parse(date) : Number.NaN;
  return Number.isNaN(epoch) ? null : epoch;
}

function personIn(address: Address | undefined): WebhookPerson | undefined {
  return address === undefined ? undefined : peopleOf(address)[0];
}

function peopleOf({ name, address, group }: Address): readonly WebhookPerson[] {
  if (group !== undefined) return group.flatMap(peopleOf);
  return [{ name: name === '' ? null : name, email: address }];
}

function lastText(parts: readonly LeafPart[], kind: 'text' | 'html'): string | undefined {
  const part = parts.findLast((part) => part.kind === kind);
  return part !== undefined && 'text' in part ? part.text.trim() : undefined;
}

function filesOf(
  parts: readonly LeafPart[],
  kind: 'inline' | 'attachment',
): readonly WebhookFile[] | undefined {
  const files = parts.flatMap((part) => (part.kind === kind && 'file' in part ? [fileOf(part)] : []));
  return files.length === 0 ? undefined : files;
}

function fileOf({ kind, file, content }: Extract<LeafPart, { readonly file: unknown }>): WebhookFile {
  const { mimeType: type, filename: name, contentId = '', description } = file;
  if (kind === 'inline') return { type, name, content, cid: contentId.replaceAll(/[<>]/g, '') };
  return { type, name, content, ...ifDefined('description', description) };
}
