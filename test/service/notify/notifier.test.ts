import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createConcealer } from '../../../src/service/conceal/concealer.ts';
import { openNotifier } from '../../../src/service/notify/notifier.ts';
import type { NotifyFormat } from '../../../src/service/notify/notify-bodies.ts';
import type { DaemonEvent, RunResult } from '../../../src/core/model/status/daemon.ts';
import type { Change } from '../../../src/core/model/plan.ts';
import { virtualClock } from '../../support/clock.ts';

type Body = Readonly<Record<string, unknown>>;

/** A real receiver, and what tells it of the daemon's events. */
async function receiver(format: NotifyFormat, secret = 'not-there') {
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
  const emit = openNotifier({
    url: `http://127.0.0.1:${port}/hook`,
    format,
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

function runFinished(result: Partial<Extract<RunResult, { kind: 'completed' }>>): DaemonEvent {
  const plan = { changes: [] };
  const completed = { kind: 'completed', plan, report: null, drift: [], ...result } as unknown as RunResult;
  return { account: 'acme', kind: 'run-finished', run: 'r1', cause: 'sweep', seconds: 1, result: completed };
}

function failed(message: string): DaemonEvent {
  const result = { kind: 'failed', what: 'read', message } as const;
  return { account: 'acme', kind: 'run-finished', run: 'r1', cause: 'sweep', seconds: 1, result };
}

const DRIFT = { kind: 'alias', action: 'update', domain: 'acme.example', name: 'sales' } as unknown as Change;
const HOSTILE =
  '<!channel> <http://evil.example|*here*> & [here](http://evil.example) **bold** `x` @everyone';

describe('one message a run', () => {
  test('that has drift, and after which runs succeed again', async () => {
    const { emit, sent } = await receiver('json');
    emit(failed('503'));
    await sent(1);
    emit(runFinished({ drift: [DRIFT], report: { outcome: 'converged', failed: [] } as never }));
    emit({ account: 'acme', kind: 'recovered', run: 'r1', failures: 2 });
    const [, body] = await sent(2);
    expect(body).toEqual({
      event: 'drift-found',
      account: 'acme',
      count: 3,
      at: expect.any(String) as unknown,
      text: 'fwdsync acme: drift in 1 item; converged\nalias sales of acme.example\nfwdsync acme: resolved: runs succeed again after 2 failures',
    });
  });

  test('and one that it is resolved, once: not of what was corrected at once, and not while something differs', async () => {
    const { emit, sent, bodies } = await receiver('json');
    const observed = runFinished({ drift: [DRIFT] });
    const events = [
      runFinished({ drift: [DRIFT], report: { outcome: 'converged', failed: [] } as never }),
      runFinished({}),
      observed,
      runFinished({ plan: { changes: [DRIFT] } as never }),
      runFinished({}),
      runFinished({}),
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

describe('what the webhook takes', () => {
  test('json: as it is', async () => {
    const { emit, sent } = await receiver('json', 'http://evil.example');
    emit(failed(HOSTILE));
    const [body] = await sent(1);
    expect(body?.['text']).toContain('<!channel> <***|*here*>');
    expect(Object.keys(body ?? {})).toEqual(['text', 'event', 'account', 'count', 'at']);
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
    emit(runFinished({ drift: [DRIFT] }));
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
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'alias sales of acme.example' }] },
            ],
          },
        },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('"TextBlock"');
  });
});
