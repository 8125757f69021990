/** Where mails are: those on their way, and those that arrived. */
export type SpoolBox = 'queue' | 'mailboxes';

/** A mail with what is known of it. */
export interface Spooled<Meta> {
  readonly id: string;
  readonly meta: Meta;
  /** What was noted later, oldest first. */
  readonly notes: readonly unknown[];
}

/** Keeps raw mails with their particulars, as plain JSON. */
export interface Spool {
  /** Resolves when the mail is safe; false: there is no room. An id that is there is replaced. */
  put(box: SpoolBox, id: string, meta: object, raw: Buffer): Promise<boolean>;
  /** Adds to what is known of a mail. */
  note(box: SpoolBox, id: string, note: object): Promise<void>;
  /** undefined: it is not there. */
  raw(box: SpoolBox, id: string): Promise<Buffer | undefined>;
  remove(box: SpoolBox, id: string): Promise<void>;
}

/** Mails in memory, up to so many bytes in all. */
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
    // Whatever asks later has its own memory of it.
    async note() {},
    raw: async (box, id) => kept.get(`${box}/${id}`),
    async remove(box, id) {
      remove(`${box}/${id}`);
    },
  };
}
