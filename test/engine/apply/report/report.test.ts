import { fromEnvironment } from '../../../support/references.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { reportDocument } from '../../../../src/engine/apply/report/report-document.ts';
import { renderReport } from '../../../../src/engine/apply/report/report-text.ts';
import { PLAIN } from '../../../support/style.ts';
import { DISCLOSE_ALL, type Disclosure } from '../../../../src/core/model/destinations.ts';
import type { Report } from '../../../../src/core/model/report.ts';

const EMPTY: Report = {
  outcome: 'unchanged',
  startedAt: Date.parse('2026-09-01T00:00:00Z'),
  askedMs: 0,
  finishedAt: Date.parse('2026-09-01T00:00:01.500Z'),
  plan: `sha256:${'0'.repeat(64)}`,
  applied: [],
  failed: [],
  skipped: [],
  guards: [],
  withheld: [],
  problems: [],
  notKept: [],
  notes: [],
  requests: { total: 3, retried: 0, rateLimited: 0, waitedSeconds: 0 },
  wrote: false,
  stopped: null,
  run: null,
  snapshot: null,
  undoFlags: [],
};

const alias = (name: string) => ({ kind: 'alias', domain: 'acme.example', name }) as const;
const source = (line: number) => ({ file: 'fwdsync.yaml', line, column: 7 });

const FULL: Report = {
  ...EMPTY,
  outcome: 'partial',
  wrote: true,
  run: 'r1',
  snapshot: '/state/snapshots/1.yaml',
  applied: [
    { action: 'add', ...alias('sales'), id: '1' },
    { action: 'move', kind: 'rule', domain: 'acme.example', name: 'vip', id: 'u' },
  ],
  failed: [
    {
      action: 'update',
      ...alias('late'),
      source: source(30),
      endpoint: 'PUT /domains/:domain/aliases/:id',
      status: null,
      index: null,
      message: 'no answer in 30 s',
      errors: {},
    },
    {
      action: 'add',
      ...alias('bad'),
      source: source(9),
      endpoint: 'POST /domains/:domain/aliases/batch',
      status: 207,
      index: 4,
      message: 'invalid forward address boss@private.example\nsecond line',
      errors: { forward: ['invalid forward address boss@private.example'], alias: ['too long'] },
    },
  ],
  skipped: [
    { action: 'delete', ...alias('old'), source: null, reason: 'an earlier change in this domain failed' },
    ...Array.from({ length: 12 }, (_, index) => {
      const reason = 'the run was stopped';
      return { action: 'add', ...alias(`s${index}`), source: source(100 + index), reason } as const;
    }),
  ],
  guards: [
    {
      guard: 'max-deletes',
      scope: 'acme.example/aliases',
      limit: 12,
      planned: 40,
      message: '40 of 60 aliases would be deleted',
      allowance: { kind: 'deletes', count: 40 },
      allow: '--allow-deletes 40',
      allowed: false,
      holds: { kind: 'run' },
      refuses: true,
    },
  ],
  withheld: [{ domain: 'busy.example' as never, reason: 'not proven', part: 'domain', cause: 'unproven' }],
  notKept: [
    { action: 'update', ...alias('odd'), source: source(12), message: 'accepted, and still another value' },
  ],
  notes: ['acme.example sends mail only after its DNS records are in place'],
  stopped: { kind: 'unauthorised', message: 'the key is not accepted' },
};

const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../schemas/report.v1.schema.json'), 'utf8'),
  ) as object,
);

test('documents agree with the schema', () => {
  for (const report of [EMPTY, FULL]) {
    const document: unknown = JSON.parse(JSON.stringify(reportDocument(report, DISCLOSE_ALL)));
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  }
  expect(reportDocument(FULL, DISCLOSE_ALL)).toMatchObject({
    kind: 'fwdsync/report@1',
    startedAt: '2026-09-01T00:00:00.000Z',
    summary: { added: 1, updated: 0, moved: 1, deleted: 0, failed: 2, skipped: 13, notKept: 1 },
  });
});

test('the text names failures first, in order of their places', () => {
  expect(renderReport(FULL, { disclosure: DISCLOSE_ALL, style: PLAIN, columns: 80 })).toMatchInlineSnapshot(`
    "fwdsync.yaml:9:7: alias acme.example/bad: invalid forward address boss@private.example second line; alias: too long (POST /domains/:domain/aliases/batch, 207, index 4)
    fwdsync.yaml:30:7: alias acme.example/late: no answer in 30 s (PUT /domains/:domain/aliases/:id, no answer)
    fwdsync.yaml:12:7: alias acme.example/odd: accepted, and still another value
    account: alias acme.example/old: not deleted: an earlier change in this domain failed
    fwdsync.yaml:100:7: alias acme.example/s0: not added: the run was stopped
    fwdsync.yaml:101:7: alias acme.example/s1: not added: the run was stopped
    fwdsync.yaml:102:7: alias acme.example/s2: not added: the run was stopped
    fwdsync.yaml:103:7: alias acme.example/s3: not added: the run was stopped
    fwdsync.yaml:104:7: alias acme.example/s4: not added: the run was stopped
    fwdsync.yaml:105:7: alias acme.example/s5: not added: the run was stopped
    fwdsync.yaml:106:7: alias acme.example/s6: not added: the run was stopped
    fwdsync.yaml:107:7: alias acme.example/s7: not added: the run was stopped
    fwdsync.yaml:108:7: alias acme.example/s8: not added: the run was stopped
    fwdsync.yaml:109:7: alias acme.example/s9: not added: the run was stopped
    … and 2 more skipped: the run was stopped
    withheld by max-deletes in acme.example/aliases (--allow-deletes 40)
    withheld: busy.example: not proven
    note: acme.example sends mail only after its DNS records are in place
    stopped: the key is not accepted
    partial: 1 added, 1 moved, 2 failed, 13 skipped, 1 not kept. 3 requests in 1.5 s.
    undo: fwdsync undo r1
    snapshot: fwdsync apply -f /state/snapshots/1.yaml
    "
  `);
});

test('a run without changes is one line', () => {
  expect(renderReport(EMPTY, { disclosure: DISCLOSE_ALL, style: PLAIN, columns: 80 })).toBe(
    'no changes. 3 requests in 1.5 s.\n',
  );
});

test('messages of the service are disclosed like everything else', () => {
  const references = fromEnvironment({ 'boss@private.example': 'BOSS' });
  for (const disclosure of [
    { references, mask: false },
    { references, mask: new Map() },
  ] satisfies Disclosure[]) {
    const texts = [
      renderReport(FULL, { disclosure, style: PLAIN, columns: 80 }),
      JSON.stringify(reportDocument(FULL, disclosure)),
    ];
    for (const text of texts) {
      expect(text).not.toContain('boss@private.example');
      expect(text).toContain('{ env: BOSS }');
    }
  }
});

test('a name cannot forge a line', () => {
  const report: Report = {
    ...EMPTY,
    outcome: 'failed',
    failed: [
      {
        ...(FULL.failed[0] as Report['failed'][number]),
        name: 'a\nconverged: 1 added',
        message: 'x\u202Ey\r\nz',
      },
    ],
  };
  expect(
    renderReport(report, { disclosure: DISCLOSE_ALL, style: PLAIN, columns: 80 }).split('\n'),
  ).toHaveLength(3);
  expect(renderReport(report, { disclosure: DISCLOSE_ALL, style: PLAIN, columns: 80 })).toContain(
    'x<U+202E>y z',
  );
});
