import * as fs from 'node:fs';
import { join } from 'node:path';
import type { MailLog } from '../../account/model.ts';
import type { DomainRecord, State } from '../../account/state.ts';
import { dumpLog, seedLogs, type SeedLog } from '../../logs/logs-seed.ts';

/**
 * Log events since the account was last saved. The next process reads them if this one is killed. Each event is a line of
 * JSON with the whole entry.
 */
export interface LogJournal {
  add(domain: DomainRecord, entry: MailLog): void;
  /** Starts a new file. Called before the account is saved: later events may be missing in what is saved. */
  turn(): void;
  /** Deletes the files from before the last `turn`. Called after the account is saved. */
  drop(): void;
}

interface JournalLine {
  readonly domain: string;
  readonly log: SeedLog & { readonly id: string };
}

/** Restores the events that an earlier process left in the directory, and continues in a new file. */
export function openLogJournal(directory: string, state: State): LogJournal {
  const folder = join(directory, 'logs');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = fs
    .readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
  restore(state, files.flatMap(readLines));
  let number = 1 + Number(/(\d+)\.jsonl$/.exec(files.at(-1) ?? '')?.[1] ?? 0);
  let current: number | null = null;
  const begin = (): number => {
    const file = join(folder, `${String(number).padStart(12, '0')}.jsonl`);
    number += 1;
    files.push(file);
    return fs.openSync(file, 'wx', 0o600);
  };
  let old: string[] = [];
  return {
    add({ name }, entry) {
      try {
        current ??= begin();
        // The leading line break ends a line that a full disk has cut.
        fs.appendFileSync(current, `\n${JSON.stringify({ domain: name, log: dumpLog(entry, undefined) })}\n`);
      } catch {
        // The disk is full. The caller that saves the account reports it, and mail continues.
      }
    },
    turn() {
      if (current !== null) fs.closeSync(current);
      current = null;
      old.push(...files.splice(0));
    },
    drop() {
      for (const file of old) fs.rmSync(file, { force: true });
      old = [];
    },
  };
}

/** Reads the lines of a file. The last one may be cut. */
function readLines(file: string): readonly JournalLine[] {
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as JournalLine];
      } catch {
        return [];
      }
    });
}

function restore(state: State, lines: readonly JournalLine[]): void {
  const latest = new Map(lines.map((line) => [line.log.id, line]));
  for (const { domain: name, log } of latest.values()) {
    const domain = state.domains.get(name);
    const saved = domain?.logs.get(log.id);
    if (saved !== undefined) domain?.logs.remove(saved);
    if (domain !== undefined) seedLogs(state, domain, [log]);
  }
}
