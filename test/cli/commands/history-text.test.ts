import { expect, test } from 'vitest';
import type {
  BlameDocument,
  DriftDocument,
  ItemDocument,
  RunDocument,
} from '../../../src/cli/commands/history/history-document.ts';
import { blameText, historyText } from '../../../src/cli/commands/history/history-text.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import { styleFor } from '../../../src/cli/output/paint.ts';

const OPTIONS = { style: styleFor({}, 'never'), columns: 80 };
const AT = '2026-11-05T10:20:30.000Z';
const LONG = {
  domain: 'mail.of-the-department-with-the-long-name.example' as DomainName,
  name: 'a-name-of-an-alias-that-nearly-fills-the-line',
  account: 'the-owner-of-the-account@corporation.example',
  actor: { ci: 'github', name: 'a person with a name of many words', url: null },
  commit: {
    sha: '0123456789abcdef',
    dirty: true,
    author: 'Ana Maria Carolina <ana.maria.carolina@corp.example>',
  },
} as const;

function itemOf(kind: 'alias' | 'rule', [from, to]: readonly [string, string]): ItemDocument {
  const more = kind === 'rule' ? { type: 'alias', alias: 'vip', active: true, rank: 1 } : {};
  return {
    at: AT,
    kind,
    action: 'update',
    domain: LONG.domain,
    name: LONG.name,
    id: '1',
    fields: ['forward'],
    from: { ...more, forward: from },
    to: { ...more, forward: to },
    source: { file: 'manifests/fwdsync.yaml', line: 12, column: 7 },
    endpoint: 'PATCH',
    via: null,
    outcome: null,
    message: 'the service was not reached in time, three times',
  };
}

const FORWARDS = [
  ['ana@corp.example', 'bob@corp.example'],
  ['the.first.person@corporation.example', 'the.second.person@corporation.example, carol@corp.example'],
  [Array.from({ length: 9 }, (_, n) => `person-${n}@corp.example`).join(', '), 'bob@corp.example'],
] as const;
const ITEMS = FORWARDS.flatMap((forward) => [itemOf('alias', forward), itemOf('rule', forward)]);
const DRIFT = ITEMS.flatMap((item, index): readonly DriftDocument[] => {
  const account = index % 2 === 0 ? LONG.account : 'ops@acme.example';
  const seen = { ...item, account, seenAt: AT };
  return [
    { ...seen, endedAt: AT, correctedBy: 'run7abcd' },
    { ...seen, endedAt: null, correctedBy: null },
  ];
});
const RUN: RunDocument = {
  id: '5k2m9q1x',
  startedAt: AT,
  finishedAt: AT,
  command: 'apply',
  account: LONG.account,
  api: { url: 'https://api.improvmx.com', version: 'v4' },
  host: 'build-machine-number-twelve.corp.example',
  user: 'ops',
  actor: LONG.actor,
  commit: LONG.commit,
  plan: 'sha256:0123',
  undoes: null,
  outcome: 'converged',
  items: ITEMS,
  summary: { added: 1234, updated: 0, moved: 0, deleted: 0, failed: 0, skipped: 0, notKept: 0 },
};
const BLAME: BlameDocument = {
  kind: 'fwdsync/blame@1',
  address: `${LONG.name}@${LONG.domain}`,
  drift: DRIFT,
  entries: ITEMS.map((item) => {
    const { id: run, account, host, user, actor, commit, command } = RUN;
    return { ...item, run, account, host, user, actor, commit, command, outcome: 'unknown' };
  }),
  takenOver: [{ at: AT, account: LONG.account, host: RUN.host, user: 'ops', actor: LONG.actor }],
};

test.each([
  [
    'history',
    () => historyText({ runs: [RUN, { ...RUN, account: 'ops@acme.example' }], drift: DRIFT }, OPTIONS),
  ],
  ['blame', () => blameText(BLAME, OPTIONS)],
])('%s has no line of more than 80 columns, and loses no word', (_, render) => {
  const text = render();
  const long = text.split('\n').filter((line) => line.length > 80 && line.trim().includes(' '));
  expect(long).toEqual([]);
  const words = text.split(/\s+/);
  for (const word of [
    LONG.name,
    'person-8@corp.example',
    'the.second.person@corporation.example,',
    'bob@corp.example',
  ])
    expect(words).toContain(word);
});
