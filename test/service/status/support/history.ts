import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { historyKeys } from '../../../../src/core/kinds/item-key.ts';
import type { HistoryItem, RunEntry } from '../../../../src/core/model/history/entries.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import { openHistory } from '../../../../src/engine/state/history/history.ts';
import { ownFiles } from '../../../../src/engine/state/own-files.ts';
import type { HistoryStore } from '../../../../src/engine/state/store.ts';
import { virtualClock } from '../../../support/clock.ts';
import { READ_AT } from './statuses.ts';

/** A real history of two runs: one by a person, one by a CI job with items that the service refused. */
export async function twoRuns(directory: string): Promise<HistoryStore> {
  const files = ownFiles(fs, directory, { uid: process.getuid?.() ?? null, unique: () => 'one' });
  const history = openHistory({
    directory: join(directory, 'history'),
    files,
    clock: virtualClock(READ_AT),
  });
  const at = (minutes: number): string => new Date(READ_AT - minutes * 60_000).toISOString();
  const counts = { added: 0, updated: 0, moved: 0, deleted: 0, failed: 0, skipped: 0, notKept: 0 };
  await history.append(
    [
      runEntry('k3v9x1', at(60)),
      itemEntry('k3v9x1', 1, at(60), alias('info', null, 'ana@corp.example')),
      itemEntry('k3v9x1', 2, at(60), alias('sales', 'bob@corp.example', 'carol@corp.example')),
      ...[1, 2].map((item) => outcome('k3v9x1', item, at(60), 'done', null)),
      {
        entry: 'run-end',
        at: at(60),
        run: 'k3v9x1',
        outcome: 'converged',
        summary: { ...counts, added: 1, updated: 1 },
      },
      {
        ...runEntry('m7q2b8', at(5)),
        command: 'apply',
        actor: { ci: 'github', name: 'octocat', url: null },
        commit: { sha: '0123456789abcdef', author: 'Ana <ana@corp.example>', dirty: false },
      },
      itemEntry('m7q2b8', 1, at(5), alias('old', 'dan@corp.example', null)),
      itemEntry('m7q2b8', 2, at(5), alias('bad', null, 'nobody@corp.example')),
      outcome('m7q2b8', 1, at(5), 'done', null),
      outcome('m7q2b8', 2, at(5), 'failed', 'this forward is not allowed'),
      {
        entry: 'run-end',
        at: at(5),
        run: 'm7q2b8',
        outcome: 'partial',
        summary: { ...counts, deleted: 1, failed: 1 },
      },
    ],
    'written',
  );
  return history;
}

export function runEntry(run: string, at: string): RunEntry {
  return {
    entry: 'run',
    at,
    run,
    command: 'run',
    host: 'mail-1',
    user: 'ana',
    actor: null,
    commit: null,
    account: 'ops@acme.example',
    api: { url: 'https://api.improvmx.com/v4', version: 'v4' },
    plan: 'sha256:0',
  };
}

function alias(name: string, from: string | null, to: string | null): HistoryItem {
  const forward = (text: string | null) => (text === null ? null : { forward: [text] });
  return {
    kind: 'alias',
    action: from === null ? 'add' : to === null ? 'delete' : 'update',
    domain: 'acme.example' as DomainName,
    name,
    id: null,
    fields: from === null || to === null ? [] : ['forward'],
    from: forward(from),
    to: forward(to),
    source: to === null ? null : { file: 'acme.yaml', line: 7, column: 7 },
  };
}

function itemEntry(run: string, item: number, at: string, change: HistoryItem) {
  const keys = historyKeys(change);
  const endpoint = 'PUT /domains/:domain/aliases/:id';
  return { ...change, entry: 'item', at, run, item, keys, endpoint, via: null } as const;
}

function outcome(run: string, item: number, at: string, what: 'done' | 'failed', message: string | null) {
  return { entry: 'item-outcome', at, run, item, keys: [], outcome: what, id: null, message } as const;
}
