import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../service/status/support/browser.ts';
import { sendRaw } from './support/client.ts';
import { startMailEmulator, type MailEmulator } from './support/mail-emulator.ts';

let running: MailEmulator;
beforeAll(async () => {
  running = await startMailEmulator({
    domains: [{ domain: 'acme.example', aliases: [{ alias: 'sales', forward: 'ana@corp.example' }] }],
  });
});
afterAll(() => running.close());

const BOX = '/mailboxes/ana@corp.example';

async function deliver(raw: string): Promise<string> {
  const { data } = await sendRaw(running.mail.smtp, {
    from: 'eve@x.example',
    to: ['sales@acme.example'],
    raw,
  });
  expect(data).toMatch(/^250/);
  await running.mail.queue.idle();
  return (await running.control('GET', BOX)).body.messages.at(-1).id;
}

test('a message as it is, and DELETE of one, of a mailbox and of all', async () => {
  const ids = [await deliver('Subject: one\n\n1'), await deliver('Subject: two\n\n2')];
  const raw = await running.control('GET', `${BOX}/${ids[0]}/raw`);
  expect(raw.headers.get('Content-Type')).toBe('message/rfc822');
  expect(raw.body).toBe((await running.arrived('ana@corp.example'))[0]);
  expect((await running.control('DELETE', `${BOX}/${ids[0]}`)).status).toBe(204);
  expect((await running.control('DELETE', `${BOX}/${ids[0]}`)).status).toBe(404);
  const left = (await running.control('GET', BOX)).body.messages;
  expect(left.map(({ subject }: { subject: string }) => subject)).toEqual(['two']);
  expect((await running.control('DELETE', BOX)).body).toEqual({ deleted: 1 });
  expect((await running.control('DELETE', '/mailboxes')).body).toEqual({ deleted: 0 });
  expect((await running.control('GET', '/mailboxes')).body).toEqual({ mailboxes: [] });
});

test('headers are decoded, in the list and on the page, which names the attachments', async () => {
  const id = await deliver(
    'From: =?utf-8?Q?J=C3=B6rg?= <joerg@x.example>\nSubject: =?utf-8?B?R3LDvMOfZQ==?=\nMIME-Version: 1.0\n' +
      'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nsee below\n' +
      '--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename=orders.csv\n\n1,2\n--b--\n',
  );
  expect((await running.control('GET', BOX)).body.messages.at(-1)).toMatchObject({ subject: 'Grüße' });
  const list = (await running.control('GET', '/mail/ana%40corp.example')).body;
  expect(list).toContain('Jörg &#60;joerg@x.example&#62;');
  const page = (await running.control('GET', `/mail/ana%40corp.example/${id}`)).body;
  expect(page).toContain('orders.csv  text/csv  4 bytes');
  expect(page).toContain('X-Forwarded-To: ana@corp.example\nX-Original-To: sales@acme.example\n');
  const [, link = ''] = /href="([^"]*)">Download/.exec(page) ?? [];
  const file = await fetch(new URL(link.replaceAll('&#38;', '&'), running.emulator.controlUrl ?? ''));
  expect(file.headers.get('Content-Type')).toBe('message/rfc822');
});

test('hostile mail on the page runs nothing, asks for nothing and is shown as text', async () => {
  const attack = `<img src=x onerror="document.title='run'"><script>top.document.title='run'</script>`;
  const html =
    `${attack}<img src="${running.emulator.controlUrl}/state"><link rel=stylesheet href=http://127.0.0.1:9/x>` +
    `<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/"><form action=http://127.0.0.1:9/><b>bold</b>`;
  const id = await deliver(
    `From: "${attack.replaceAll('"', "'")}" <eve@x.example>\nSubject: ${attack}\nMIME-Version: 1.0\n` +
      `Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n${attack}\n` +
      `--b\nContent-Type: text/html\n\n${html}\n--b--\n`,
  );
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('response', (response) => asked.push(new URL(response.url()).pathname));
    const paths = ['/mail', '/mail/ana%40corp.example', `/mail/ana%40corp.example/${id}`];
    for (const path of paths) {
      await page.goto(`${running.emulator.controlUrl}${path}`, { waitUntil: 'networkidle' });
      expect(await page.title()).not.toBe('run');
      expect(await page.locator('img, script, form').count()).toBe(0);
    }
    expect(await page.locator('h1').textContent()).toBe(attack);
    const frame = page.frameLocator('iframe');
    expect(await frame.locator('b').textContent()).toBe('bold');
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
    const root = new URL(running.emulator.controlUrl ?? '').pathname;
    const expected = [...paths, `${paths[2]}/html`].map((path) => `${root}${path}`);
    expect(asked.filter((path) => path !== '/favicon.ico')).toEqual(expected);
    expect(page.frames().map((each) => new URL(each.url()).pathname)).toEqual(expected.slice(2));
  } finally {
    await browser.close();
  }
});
