import { Buffer } from 'node:buffer';
import { decodeWords } from 'postal-mime';
import { headerFields, headerValue } from '../headers.ts';
import type { Spool } from '../spool/spool.ts';

/** A mail in a mailbox. */
export interface ArrivedMail {
  readonly id: string;
  /** The mailbox: an address in lower case, or the URL of a webhook that is not called. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly arrivedAt: number;
  /** The envelope sender. */
  readonly sender: string;
  /** The account's address that the mail was sent to. */
  readonly recipient: string;
  readonly size: number;
  /** Decoded from the header. */
  readonly subject: string;
  /** Name and address from the header, decoded. */
  readonly from: string;
  /** `json` is the body that a webhook would have received. */
  readonly type: 'mail' | 'json';
}

export interface Mailboxes {
  /** Stores a mail. Resolves to false if there is no room. A mail with an id that exists is not stored again. */
  store(mail: Omit<ArrivedMail, 'size' | 'subject' | 'from'>, raw: Buffer): Promise<boolean>;
  /** Restores a mail that an earlier process stored. */
  restore(mail: ArrivedMail): void;
  /** Returns all mailboxes, sorted by address. */
  all(): readonly (readonly [string, readonly ArrivedMail[]])[];
  /** Returns a mailbox, oldest mail first. */
  of(address: string): readonly ArrivedMail[];
  raw(mail: ArrivedMail): Promise<Buffer | undefined>;
  remove(mails: readonly ArrivedMail[]): Promise<void>;
  /** Resolves when the next mail arrives. */
  next(signal: AbortSignal): Promise<void>;
}

/** Creates the mailboxes of all destinations, as if the emulator were their mail server. */
export function createMailboxes(spool: Spool): Mailboxes {
  const boxes = new Map<string, Map<string, ArrivedMail>>();
  const waiting = new Set<() => void>();
  const insert = (mail: ArrivedMail): void => {
    const box = boxes.get(mail.address) ?? new Map<string, ArrivedMail>();
    boxes.set(mail.address, box.set(mail.id, mail));
  };
  return {
    async store({ address: written, ...mail }, raw) {
      const address = written.includes('://') ? written : written.toLowerCase();
      if (boxes.get(address)?.has(mail.id) === true) return true;
      const fields = mail.type === 'json' ? [] : headerFields(raw);
      const [subject, from] = [textOf(fields, 'subject'), textOf(fields, 'from')];
      const arrived = { ...mail, address, size: raw.length, subject, from };
      if (!(await spool.put('mailboxes', mail.id, arrived, raw))) return false;
      insert(arrived);
      for (const wake of waiting) wake();
      return true;
    },
    restore: insert,
    all: () =>
      [...boxes]
        .map(([address, box]) => [address, [...box.values()]] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    of: (address) => [
      ...(boxes.get(address.includes('://') ? address : address.toLowerCase())?.values() ?? []),
    ],
    raw: (mail) => spool.raw('mailboxes', mail.id),
    async remove(mails) {
      for (const { address, id } of mails) {
        const box = boxes.get(address);
        box?.delete(id);
        if (box?.size === 0) boxes.delete(address);
        await spool.remove('mailboxes', id);
      }
    },
    next: (signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake);
        if (signal.aborted) wake();
      }),
  };
}

function textOf(fields: ReturnType<typeof headerFields>, name: string): string {
  const bytes = Buffer.from(headerValue(fields, name) ?? '', 'latin1');
  return decodeWords(bytes.toString('utf8').slice(0, 1000));
}
