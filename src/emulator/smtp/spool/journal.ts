import * as fs from 'node:fs';
import { join } from 'node:path';
import type { MailLog } from '../../account/model.ts';
import type { DomainRecord, State } from '../../account/state.ts';
import { dumpLog, seedLogs, type SeedLog } from '../../logs/logs-seed.ts';

/**
 * What logs got since the account was last saved, for the next process should this one be killed: a line of JSON for each
 * event, with the whole entry.
 */
export interface LogJournal {
  add(domain: DomainRecord, entry: MailLog): void;
  /** Called before the account is saved: what is added from now on may not be in it. */
  turn(): void;
  /** Called when the account is saved: what was added before `turn` is not needed any more. */
  drop(): void;
}

interface JournalLine {
  readonly domain: string;
  readonly log: SeedLog & { readonly id: string };
}

/** Puts back what an earlier process left in the directory, and goes on in another file. */
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
        // The line break before it ends a line that a full disk has cut.
        fs.appendFileSync(current, `\n${JSON.stringify({ domain: name, log: dumpLog(entry, undefined) })}\n`);
      } catch {
        // A full disk: whoever saves the account says so, and mail goes on.
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

/** The last of them may be cut. */
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
