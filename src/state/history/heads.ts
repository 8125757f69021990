/** How each line begins; where one does not, it is damaged. */
const HEAD = /^\{"entry":"([^"]*)","at":"([^"]*)"/;

export interface Head {
  readonly entry: string;
  readonly at: string;
}

/** Of a line, or its first 64 bytes. */
export function headOf(line: string): Head | null {
  const [, entry, at] = HEAD.exec(line) ?? [];
  return entry === undefined || at === undefined ? null : { entry, at };
}

/** Whether a line is of an item, and was written before a time (epoch milliseconds). Other lines are written later than they say. */
export function isItemBefore(head: Head | null, time: number): boolean {
  return head !== null && head.entry.startsWith('item') && Date.parse(head.at) < time;
}

/** The name of the empty file that says of a file of lines that the clock was set back while it was written. */
export function setBackMark(name: string): string {
  return name.replace(/\.jsonl$/, '.set-back');
}
