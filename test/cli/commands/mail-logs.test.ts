import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { DeliveryDocument } from '../../../src/service/delivery/document.ts';
import { startMail } from '../../../src/emulator/smtp/start.ts';
import { sendRaw } from '../../emulator/smtp/support/client.ts';
import { commandScene, type CommandScene } from '../support/scene.ts';

const ALIASES = [{ alias: 'sales', forward: 'ana@corp.example,ben@corp.example' }];
const MANIFEST = `domains:
  acme.example:
    aliases: { sales: [ana@corp.example, ben@corp.example] }
`;

/** An account whose mail comes by SMTP; mail to Ben is refused. */
async function open(
  version: 'v4' | 'v3',
): Promise<CommandScene & { readonly send: (subject: string) => Promise<void> }> {
  const seed = { domains: [{ domain: 'acme.example', aliases: ALIASES }] };
  const scene = await commandScene({ version, seed, manifest: MANIFEST });
  const mail = await startMail(scene.emulator, {
    smtpPort: 0,
    sleep: (milliseconds, signal) => scene.clock.sleep(milliseconds, signal),
    randomId: () => randomUUID(),
  });
  onTestFinished(() => mail.close());
  mail.script.replace([{ destination: 'ben@corp.example', do: '5xx', message: '5.2.2 full' }]);
  return {
    ...scene,
    async send(subject) {
      const to = ['sales@acme.example', 'postmaster@acme.example'];
      const raw = `From: Eve <eve@x.example>\nSubject: ${subject}\n\nx`;
      const { data } = await sendRaw(mail.smtp, { from: 'eve@x.example', to, raw });
      expect(data).toMatch(/^250/);
      await mail.queue.idle();
    },
  };
}

test.each(['v4', 'v3'] as const)(
  'delivery and logs show mail that came by SMTP, through %s',
  async (version) => {
    const scene = await open(version);
    await scene.send('one');
    await scene.send('two');
    scene.clock.advance(1000);
    const { code, stdout } = await scene.run(['delivery', '--format', 'json']);
    expect(code).toBe(0);
    const { rows } = JSON.parse(stdout) as DeliveryDocument;
    expect(
      rows.map(({ alias, destination, delivered, refused, hard, lastError, source }) => [
        alias,
        destination,
        [delivered, refused, hard],
        lastError?.message ?? null,
        source?.line,
      ]),
    ).toEqual([
      ['sales', 'ben@corp.example', [0, 0, 2], '5.2.2 full', 4],
      ['sales', 'ana@corp.example', [2, 0, 0], null, 4],
    ]);
    const logs = (await scene.run(['logs', 'acme.example'])).stdout;
    expect(logs.match(/HARD-BOUNCE/g)).toHaveLength(2);
    expect(logs).toContain('550 5.2.2 full');
    expect(logs).toContain('two');
  },
);

test('logs --follow shows mail as it comes by SMTP', async () => {
  const scene = await open('v4');
  const stop = new AbortController();
  let reads = 0;
  scene.emulator.onRequest(async ({ phase }) => {
    if (phase !== 'after') return;
    reads += 1;
    if (reads === 2) await scene.send('new');
    if (reads === 4) stop.abort('SIGINT');
  });
  const { code, stdout } = await scene.run(['logs', 'acme.example', '--follow'], { signal: stop.signal });
  expect(code).toBe(130);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\S+ +(.*) +\S+$/, '$1').trim()),
  ).toEqual([
    'eve@x.example -> postmaster@acme.example  REFUSED 550 5.1.1 postmaster@acme.example: no alias matches this address  ""',
    'eve@x.example -> sales@acme.example -> ana@corp.example  QUEUED > DELIVERED  "new"',
    'eve@x.example -> sales@acme.example -> ben@corp.example  QUEUED > HARD-BOUNCE 550 5.2.2 full  "new"',
  ]);
});
