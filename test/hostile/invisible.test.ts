import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { logJson } from '../../src/cli/commands/logs/logs-text.ts';
import { createLogger } from '../../src/cli/output/log/logger.ts';
import { commandScene } from '../cli/support/scene.ts';

/** C1 controls, direction marks, separators, a joiner, a tag beyond 16 bits, and a harmless emoji. */
const HOSTILE = 'a\u0085\u009b31m\u202e\u2066\u2028\u2029\u200d\ufeff\u{e0001}😀z';
/** Characters that a terminal does not show, except for line breaks. */
const UNSEEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

test('a log in JSON has escapes for what cannot be seen', () => {
  const stream = new PassThrough();
  createLogger({ level: 'info', format: 'json' }, Object.assign(stream, { isTTY: false }), 'info').info(
    { account: HOSTILE },
    HOSTILE,
  );
  const line = String(stream.read());
  expect(line).not.toMatch(UNSEEN);
  expect(JSON.parse(line)).toMatchObject({ account: HOSTILE, message: HOSTILE });
});

test('logs --format json has escapes for what cannot be seen', () => {
  const entry = {
    id: '1',
    createdAt: null,
    sender: { email: HOSTILE, name: HOSTILE },
    recipient: null,
    forward: null,
    subject: HOSTILE,
    transport: null,
    messageId: null,
    hostname: null,
    events: [],
  };
  const line = logJson(entry, (text) => text);
  expect(line).not.toMatch(UNSEEN);
  expect(JSON.parse(line)).toMatchObject({ subject: HOSTILE, sender: { name: HOSTILE } });
});

test.each(['v4', 'v3'] as const)(
  'export writes escapes for what cannot be seen, and leaves out a name that is too long, through %s',
  async (version) => {
    const scene = await commandScene({
      version,
      seed: {
        domains: [
          {
            domain: 'acme.example',
            routing_engine: 'rules',
            aliases: [
              { alias: 'l'.repeat(300), forward: 'ana@corp.example' },
              { alias: 'sales', forward: 'ana@corp.example' },
            ],
            credentials: [{ username: 'c'.repeat(300) }, { username: 'carol' }],
            whitelabel: `${'w'.repeat(300)}.example`,
            rules: [
              {
                id: '11111111-1111-4111-8111-111111111111',
                type: 'cel',
                rank: 1,
                config: {
                  expression: `subject == "${HOSTILE.replaceAll(/[\u2028\u2029]/g, '')}"`,
                  forward: 'ana@corp.example',
                },
              },
            ],
          },
        ],
      },
    });
    const exported = await scene.run(['export']);
    expect([exported.code, exported.stdout]).toEqual([
      0,
      expect.stringContaining('is longer than 150 characters'),
    ]);
    expect(exported.stdout).not.toMatch(UNSEEN);
    const planned = await scene.run(['plan', '-f', '-', '--detailed-exitcode'], { stdin: exported.stdout });
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('Nothing to change')]);
    expect(
      (await scene.run(['plan', '-f', '-', '--format', 'json'], { stdin: exported.stdout })).stdout,
    ).not.toMatch(UNSEEN);
  },
);
