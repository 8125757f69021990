import * as fs from 'node:fs/promises';
import { expect, test } from 'vitest';
import { historyKeys } from '../../src/core/kinds/item-key.ts';
import type { HistoryEntry, HistoryItem } from '../../src/core/model/history/entries.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import { openStateDirectory } from '../../src/engine/state/directory.ts';
import { systemProcesses } from '../../src/engine/state/processes.ts';
import { commandScene, OWNER } from '../cli/support/scene.ts';
import { filesBelow } from '../support/search.ts';
import { NAUGHTY } from './support/corpora.ts';

const ESCAPES = ['\u001b[2J\u001b]0;owned\u0007', 'line\r\nforged', '\u009b31m', '\u202egnirts', '\u0000'];
const TEXTS = [...NAUGHTY, ...ESCAPES];
/** Characters that a terminal does not show, except for line breaks. */
const UNSEEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

/** A run in the history with this text in every field that another user can set. */
function entriesOf(text: string, index: number): readonly HistoryEntry[] {
  const run = `r${index}`;
  const at = '2026-09-01T00:00:00.000Z';
  const item: HistoryItem = {
    kind: 'alias',
    action: 'update',
    domain: 'acme.example' as DomainName,
    name: text,
    id: text,
    fields: ['forward'],
    from: { forward: [{ shown: text, print: text }] },
    to: { forward: [text] },
    source: { file: text, line: 1, column: 1 },
  };
  const keys = [...historyKeys({ ...item, name: 'sales' }), ...historyKeys(item)];
  const who = { command: 'apply', host: text, user: text } as const;
  const actor = index % 2 === 0 ? { ci: 'github' as const, name: text, url: text } : null;
  const api = { url: 'https://api.example/v4', version: 'v4' } as const;
  const commit = { sha: text, author: text, dirty: false };
  const result = { run, at, item: 1, keys, id: text, message: text };
  return [
    { entry: 'run', at, run, ...who, actor, commit, account: OWNER, api, plan: text },
    { entry: 'item', at, run, item: 1, keys, ...item, endpoint: text, via: null },
    { entry: 'item-outcome', ...result, outcome: index % 3 === 0 ? 'failed' : 'done' },
    { entry: 'drift', at, seenAt: at, keys, ...item },
  ];
}

test('with any content of the history, all output to a terminal is plain text', async () => {
  const scene = await commandScene();
  const { clock, env } = scene;
  const { history } = openStateDirectory({
    directory: env['FWDSYNC_STATE_DIR'] ?? '',
    account: OWNER,
    apiUrl: env['FWDSYNC_API_URL'] ?? '',
    fs,
    clock,
    processes: systemProcesses(fs, 'test'),
  });
  expect(await history.append(TEXTS.flatMap(entriesOf), 'written')).toMatchObject({ ok: true });
  const commands = [['history'], ['history', '--domain', 'acme.example'], ['blame', 'sales@acme.example']];
  const runs = TEXTS.map((_, index) => ['history', `r${index}`]).slice(-ESCAPES.length - 3);
  for (const args of [...commands, ...runs]) {
    const { code, stdout, stderr } = await scene.run(args);
    expect([code, stderr], args.join(' ')).toEqual([0, '']);
    expect(UNSEEN.exec(stdout)?.[0]?.codePointAt(0), args.join(' ')).toBeUndefined();
  }
  const { stdout } = await scene.run(['blame', 'sales@acme.example']);
  // Entries share no lines.
  expect(stdout.match(/^2026-09-01T00:00:00Z {2}run r\d+/gm)?.length).toBe(
    TEXTS.filter((_, index) => index % 3 !== 0).length,
  );
});

/** Returns copies of a line, each with one value of another type, at every depth. */
function* misshapen(value: unknown, build: (other: unknown) => unknown): Generator<string> {
  for (const other of [null, 5, true, 'x', [], {}, [null], { shown: 5 }]) yield JSON.stringify(build(other));
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    const buildPart = (other: unknown): unknown =>
      build(
        Array.isArray(value)
          ? value.map((item: unknown, at) => (String(at) === name ? other : item))
          : { ...value, [name]: other },
      );
    yield* misshapen(part, buildPart);
  }
}

test('a line of any wrong shape is left out with one warning, and is no internal error', async () => {
  const scene = await commandScene({
    manifest: 'domains: { acme.example: { aliases: { sales: a@b.example } } }\n',
  });
  expect((await scene.run(['apply', '--yes'])).code).toBe(0);
  const state = scene.env['FWDSYNC_STATE_DIR'] ?? '';
  const [file] = (await filesBelow(state, [])).filter(({ where }) => where.endsWith('.jsonl'));
  const at = '2026-09-01T00:00:00.000Z';
  const match = { type: 'regex', regex: { shown: 'x', print: 'y' }, scopes: ['sender'] };
  const item = entriesOf('x', 0)[1];
  const lines = [
    ...entriesOf('sales', 0),
    { ...item, kind: 'rule', from: null, to: { match, forward: ['a@b.example'], active: true, rank: 1 } },
    { ...item, kind: 'domain', from: { webhook: null }, to: { notification_email: 'a@b.example' } },
    { entry: 'run-end', at, run: 'r0', outcome: 'converged', summary: { added: 1 } },
    { entry: 'drift-end', at, keys: ['acme.example\nalias\nsales'], run: 'r0' },
  ].flatMap((entry) => [...misshapen(entry, (other) => other)].filter((line) => line.startsWith('{"entry"')));
  expect(lines.length).toBeGreaterThan(500);
  await fs.appendFile(file?.where ?? '', lines.map((line) => `${line}\n`).join(''));
  for (const args of [
    ['history'],
    ['history', '--format', 'json'],
    ['history', 'r0'],
    ['history', '--domain', 'acme.example'],
    ['blame', 'sales@acme.example'],
    ['blame', 'acme.example', '--format', 'json'],
    ['undo', '--yes', 'r0'],
  ]) {
    const { stderr } = await scene.run(args);
    expect(stderr, args.join(' ')).not.toMatch(/internal error|TypeError/);
    expect(stderr.match(/has a line that cannot be read/g)?.length ?? 0, args.join(' ')).toBeLessThan(2);
  }
});
