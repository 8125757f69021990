import { Buffer } from 'node:buffer';
import type { Address, Attachment, Email } from 'postal-mime';

interface WebhookPerson {
  readonly name: string | null;
  readonly email: string;
}

/** What a webhook gets of a mail (field notes: Routing, webhook destinations). */
export interface WebhookBody {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly to: readonly WebhookPerson[];
  readonly from: WebhookPerson;
  readonly subject: string;
  readonly 'message-id': string;
  readonly date: string;
  readonly 'return-path': WebhookPerson;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly text: string;
  readonly html: string;
  readonly inlines: readonly WebhookFile[];
  readonly attachments: readonly WebhookFile[];
}

interface WebhookFile {
  readonly name: string | null;
  readonly type: string;
  /** Base64. */
  readonly content: string;
  readonly encoding: 'base64';
  /** Of what the HTML shows. */
  readonly cid?: string;
}

/** The body of the call; `receivedAt` in epoch milliseconds. */
export function webhookBody(
  email: Email,
  {
    sender,
    recipient,
    receivedAt,
  }: { readonly sender: string; readonly recipient: string; readonly receivedAt: number },
): WebhookBody {
  const { subject = '', messageId = '', date, text = '', html = '', attachments, to, from } = email;
  const files = attachments.map((attachment) => ({
    isInline: isInline(attachment),
    file: fileOf(attachment),
  }));
  return {
    headers: headersOf(email),
    to: to === undefined ? [{ name: null, email: recipient }] : to.flatMap(peopleOf),
    from: (from === undefined ? [] : peopleOf(from))[0] ?? { name: null, email: sender },
    subject,
    'message-id': messageId,
    date: date ?? new Date(receivedAt).toISOString(),
    'return-path': { name: null, email: sender },
    timestamp: Math.floor(receivedAt / 1000),
    text,
    html,
    inlines: files.filter(({ isInline }) => isInline).map(({ file }) => file),
    attachments: files.filter(({ isInline }) => !isInline).map(({ file }) => file),
  };
}

/** A name that comes more than once has the list of its values. */
function headersOf({ headers }: Email): WebhookBody['headers'] {
  const values = new Map<string, readonly string[]>();
  for (const { originalKey, value } of headers) {
    values.set(originalKey, [...(values.get(originalKey) ?? []), value]);
  }
  return Object.fromEntries(
    [...values].map(([name, list]) => [name, list.length === 1 ? list.join() : list]),
  );
}

function peopleOf({ name, address, group }: Address): readonly WebhookPerson[] {
  if (group !== undefined) return group.flatMap(peopleOf);
  return [{ name: name === '' ? null : name, email: address }];
}

function isInline({ disposition, related, contentId }: Attachment): boolean {
  return contentId !== undefined && (related === true || disposition === 'inline');
}

function fileOf({ filename, mimeType, content, contentId }: Attachment): WebhookFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as Uint8Array);
  return {
    name: filename,
    type: mimeType,
    content: bytes.toString('base64'),
    encoding: 'base64',
    ...(contentId === undefined ? {} : { cid: contentId.replaceAll(/[<>]/g, '') }),
  };
}
