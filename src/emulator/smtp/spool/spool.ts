/** Boxes of a spool: mail in the queue, and mail in mailboxes. */
export type SpoolBox = 'queue' | 'mailboxes';

/** A mail's data and notes. */
export interface Spooled<Meta> {
  readonly id: string;
  readonly meta: Meta;
  /** Notes added later, oldest first. */
  readonly notes: readonly unknown[];
}

/** Stores raw mails with their data, which is plain JSON. */
export interface Spool {
  /** Stores a mail. Resolves when it is safe, or to false if there is no room. An existing mail with this id is replaced. */
  put(box: SpoolBox, id: string, meta: object, raw: Buffer): Promise<boolean>;
  /** Adds a note to a mail. */
  note(box: SpoolBox, id: string, note: object): Promise<void>;
  /** Returns the raw mail; undefined if it does not exist. */
  raw(box: SpoolBox, id: string): Promise<Buffer | undefined>;
  remove(box: SpoolBox, id: string): Promise<void>;
}

/** Stores mails in memory, up to this many bytes in all. */
export function createMemorySpool(maximumBytes: number): Spool {
  const kept = new Map<string, Buffer>();
  let bytes = 0;
  const remove = (key: string): void => {
    bytes -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  };
  return {
    async put(box, id, _meta, raw) {
      const key = `${box}/${id}`;
      remove(key);
      if (bytes + raw.length > maximumBytes) return false;
      bytes += raw.length;
      kept.set(key, raw);
      return true;
    },
    // Not needed: everything that asks later remembers it itself.
    async note() {},
    raw: async (box, id) => kept.get(`${box}/${id}`),
    async remove(box, id) {
      remove(`${box}/${id}`);
    },
  };
}
