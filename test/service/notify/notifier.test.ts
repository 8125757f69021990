import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createConcealer } from '../../../src/service/conceal/concealer.ts';
import { openNotifier } from '../../../src/service/notify/notifier.ts';
import type { WebhookFormat } from '../../../src/service/notify/notify-bodies.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { Change } from '../../../src/core/model/plan.ts';
import { DRIFT, failed, finished, PLAN, REFUSED } from '../support/run-events.ts';
import { virtualClock } from '../../support/clock.ts';

type Body = Readonly<Record<string, unknown>>;

/** A real receiver, and the notifier that sends it the daemon's events. */
async function receiver(format: WebhookFormat, secret = 'not-there') {
  const bodies: Body[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body as Body);
      return response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const concealer = createConcealer({ mask: false });
  concealer.addSecret(secret);
  const port = (server.address() as AddressInfo).port;
  const { tell: emit } = openNotifier({
    url: `http://127.0.0.1:${port}/hook`,
    format,
    pageUrl: 'https://ops.example/fwdsync',
    clock: virtualClock(),
    signal: new AbortController().signal,
    fetch,
    conceal: (text) => concealer.conceal(text),
    onLost: () => undefined,
  });
  const sent = async (count: number): Promise<readonly Body[]> => {
    await expect.poll(() => bodies.length).toBe(count);
    return bodies;
  };
  return { emit, sent, bodies };
}

const SALES =
  'alias sales of acme.example was changed outside fwdsync: carol@corp.example -> mallory@elsewhere.example (fwdsync.yaml:5)';
const HOSTILE =
  '<!channel> <http://evil.example|*here*> & [here](http://evil.example) **bold** `x` @everyone';

describe('one message a run', () => {
  test('that has drift, and after which runs succeed again', async () => {
    const { emit, sent } = await receiver('json');
    emit(failed('503'));
    await sent(1);
    emit(finished({ drift: [DRIFT], report: { outcome: 'converged', failed: [], applied: [] } as never }));
    emit({ account: 'acme', kind: 'recovered', run: 'r1', failures: 2 });
    const [, body] = await sent(2);
    expect(body).toEqual({
      event: 'drift-found',
      account: 'acme',
      count: 3,
      at: expect.any(String) as unknown,
      items: [
        {
          text: SALES,
          domain: 'acme.example',
          from: { forward: 'carol@corp.example' },
          to: { forward: 'mallory@elsewhere.example' },
          source: { file: 'fwdsync.yaml', line: 5, column: 7 },
        },
      ],
      link: 'https://ops.example/fwdsync/domains/acme.example',
      text: `fwdsync acme: drift in 1 item; converged\n${SALES}\nfwdsync acme: resolved: runs succeed again after 2 failures`,
    });
  });

  test('and one that it is resolved, once: not of what was corrected at once, and not while something differs', async () => {
    const { emit, sent, bodies } = await receiver('json');
    const observed = finished({ drift: [DRIFT] });
    const events = [
      finished({ drift: [DRIFT], report: { outcome: 'converged', failed: [], applied: [] } as never }),
      finished({}),
      observed,
      finished({ plan: { ...PLAN, changes: [DRIFT] } }),
      finished({}),
      finished({}),
    ];
    for (const event of events) {
      emit(event);
      await turn();
    }
    await sent(3);
    expect(bodies.map(({ event }) => event)).toEqual(['drift-found', 'drift-found', 'recovered']);
    expect(bodies[2]?.['text']).toBe('fwdsync acme: resolved: the account matches the manifest again');
  });
});

test('withheld and frozen changes: once, with values, lines and their allowance, until they end', async () => {
  const { emit, sent, bodies } = await receiver('json');
  const added = {
    ...DRIFT,
    name: 'info',
    action: 'add',
    observed: null,
    stage: 1,
    fields: [],
  } as unknown as Change;
  const deleted = { ...DRIFT, action: 'delete', desired: null, stage: 2, fields: [] } as unknown as Change;
  const held = finished({ plan: { ...REFUSED, changes: [deleted] } });
  const both = finished({ plan: { ...REFUSED, changes: [deleted, added] }, frozen: [added] });
  for (const event of [held, held, both, both, finished({}), held]) {
    emit(event);
    await turn();
  }
  await sent(4);
  expect(bodies.map(({ event }) => event)).toEqual([
    'changes-withheld',
    'changes-frozen',
    'recovered',
    'changes-withheld',
  ]);
  const texts = bodies.map(({ text }) => text as string);
  expect(texts[0]).toBe(
    [
      'fwdsync acme: 1 change withheld',
      'max-deletes: 3 of 4 deleted; if it is intended: apply --allow-deletes 3',
      'delete alias sales of acme.example: mallory@elsewhere.example (fwdsync.yaml:5)',
    ].join('\n'),
  );
  expect(texts[1]).toBe(
    'fwdsync acme: 1 item left alone: they keep being changed back\nadd alias info of acme.example: carol@corp.example (fwdsync.yaml:5)',
  );
});

test('a domain that stops receiving mail, and receives it again', async () => {
  const { emit, sent } = await receiver('json');
  const domain = 'acme.example' as DomainName;
  const source = { file: 'fwdsync.yaml', line: 5, column: 3 };
  emit({ account: 'acme', kind: 'domain-not-receiving', domain, source });
  await sent(1);
  emit({ account: 'acme', kind: 'domain-receiving', domain, source: null });
  expect(await sent(2)).toMatchObject([
    {
      event: 'domain-not-receiving',
      link: 'https://ops.example/fwdsync/domains/acme.example',
      text: expect.stringContaining(
        'acme.example no longer receives mail, according to the service: check its MX records\nacme.example (fwdsync.yaml:5)',
      ),
    },
    {
      event: 'domain-receiving',
      text: expect.stringContaining('receives mail again, according to the service'),
    },
  ]);
});

describe('the bodies of a webhook', () => {
  test('json: as it is', async () => {
    const { emit, sent } = await receiver('json', 'http://evil.example');
    emit(failed(HOSTILE));
    const [body] = await sent(1);
    expect(body?.['text']).toContain('<!channel> <***|*here*>');
    expect(Object.keys(body ?? {})).toEqual(['text', 'event', 'account', 'count', 'at', 'items', 'link']);
  });

  test('slack: a block of plain text, and nothing that Slack reads as a link or a channel', async () => {
    const { emit, sent } = await receiver('slack');
    emit(failed(`${HOSTILE}${'x'.repeat(5_000)}`));
    const [body] = await sent(1);
    expect(body?.['text']).not.toMatch(/[<>]/);
    expect(body?.['text']).toContain('&lt;!channel&gt;');
    expect(body?.['blocks']).toMatchObject([{ type: 'section', text: { type: 'plain_text', emoji: false } }]);
    const [block] = (body?.['blocks'] ?? []) as readonly { text: { text: string } }[];
    // Slack refuses longer ones.
    expect(block?.text.text.length).toBeLessThanOrEqual(3_000);
    expect(block?.text.text).toMatch(/^❌ fwdsync acme: a run failed: /);
  });

  test('teams: an adaptive card of text runs, which know no Markdown', async () => {
    const { emit, sent } = await receiver('teams');
    emit(finished({ drift: [DRIFT] }));
    const [body] = await sent(1);
    expect(body).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                type: 'RichTextBlock',
                inlines: [
                  { text: '⚠️ fwdsync acme: drift in 1 item; nothing was changed', weight: 'Bolder' },
                ],
              },
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: SALES }] },
            ],
            actions: [
              {
                type: 'Action.OpenUrl',
                title: 'Show',
                url: 'https://ops.example/fwdsync/domains/acme.example',
              },
            ],
          },
        },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('"TextBlock"');
  });
});
