import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/directory.ts';
import { axe } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { twoRuns } from '../support/history.ts';
import { EVENTS, eventsAccount, wideDomain } from '../support/one-domain.ts';
import { openPage } from '../support/open-page.ts';
import { serve, type Served } from '../support/serve.ts';
import { accountStatus, domainStatus } from '../support/statuses.ts';
import { everyNth } from '../../../support/share.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

function serveEvents(): Promise<Served> {
  return serve([eventsAccount()], { manifests: () => [EVENTS] });
}

/** Returns the texts of the rows of forwards, with white space collapsed. */
function rowsOf(text: string): readonly string[] {
  const [, forwards = ''] = /<div id="forwards"[^>]*>(.*?)<\/div>/s.exec(text) ?? [];
  return [...forwards.matchAll(/<tr role="row">(.*?)<\/tr>/gs)].slice(1).map(([, row = '']) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

describe('the page of a domain', () => {
  test('says first that the domain does not receive mail, and so do overview and wall', async () => {
    const stopped = domainStatus({ receiving: 'stopped', state: 'withheld', reason: 'a guard holds it' });
    const never = domainStatus({ receiving: 'never' });
    const { get } = await serve([
      accountStatus({
        domains: new Map([
          ['acme.example', stopped],
          ['new.example', never],
        ]),
      }),
    ]);
    const flat = async (path: string): Promise<string> =>
      (await get(path)).text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    const reason = 'it no longer receives mail, according to the service; a guard holds it';
    expect(await flat('/domains/acme.example')).toContain(reason);
    expect(await flat('/domains/acme.example')).toMatch(/Not receiving.*fwdsync verify acme\.example/);
    expect(await flat('/')).toMatch(/1 of 2 domains does not receive mail.*Needs attention.*⊘ Not receiving/);
    expect(await flat('/?view=wall')).toContain(reason);
    expect(await flat('/?view=wall')).not.toContain('new.example');
    expect(await flat('/domains/new.example')).toMatch(
      /In sync.*it has never received mail, according to the service/,
    );
  });

  test('shows state, pending plan, failing mail and forwards as the account has them, in the order in which it asks them', async () => {
    const { get } = await serveEvents();
    const { text } = await get('/domains/events.example');
    const flat = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(flat).toMatch(/events\.example ≠ Drifted acme · read 3 min ago acme\.yaml:5/);
    expect(flat).toContain('Rules route the mail of this domain, in this order; its aliases are not used.');
    expect(flat).toMatch(/→ What to do: the next run applies it/);
    expect(flat).toMatch(/Pending plan \+1 ~1 -1 ↕1/);
    expect(flat).toMatch(
      /3 messages .*to ben@corp\.example : 550 5\.1\.1 no such mailbox → What to do: fwdsync why sales@events\.example/,
    );
    expect(rowsOf(text)).toEqual([
      'rule vip alias vip ana@corp.example acme.yaml:12',
      'rule d3b0 size(subject) &gt; 100 mallory@elsewhere.example only in the account',
      'rule off alias off ana@corp.example, ben@corp.example (not active) acme.yaml:14',
      'rule invoices subject ~ invoice ana@corp.example, ben@corp.example ↕ to move: after vip acme.yaml:13',
      'alias sales ana@corp.example, ben@corp.example acme.yaml:7',
      'alias info not in the account yet + to add: ana@corp.example acme.yaml:8',
      'alias jobs dan@corp.example ~ to update: dan@corp.example -&gt; bob@corp.example acme.yaml:9',
      'alias * ben@corp.example acme.yaml:10',
      'alias stray mallory@elsewhere.example - to delete only in the account',
      'alias hand-made mallory@elsewhere.example only in the account',
    ]);
  });

  test.each([
    ['JOBS@events', ['alias jobs']],
    ['dan@corp', ['alias jobs']],
    ['invoice', ['rule invoices']],
    ['hand', ['alias hand-made']],
    ['nothing-like-it', []],
  ] as const)('%s finds forwards by name, address, condition and destination', async (q, found) => {
    const { get } = await serveEvents();
    const { text } = await get(`/domains/events.example?q=${encodeURIComponent(q)}`);
    expect(rowsOf(text).map((row) => row.split(' ').slice(0, 2).join(' '))).toEqual(found);
    expect(text.includes('No forward contains this text.')).toBe(found.length === 0);
  });

  test('10,000 aliases come in pages of 200', async () => {
    const { desired, status } = wideDomain(10_000);
    const { get } = await serve([status], { manifests: () => [desired] });
    const first = (await get('/domains/wide.example')).text;
    const last = (await get('/domains/wide.example?page=50')).text;
    const beyond = (await get('/domains/wide.example?page=999')).text;
    expect([rowsOf(first).length, rowsOf(last).length, beyond]).toEqual([200, 200, last]);
    expect(rowsOf(last).at(-1)).toContain('name09999@corp.example');
    expect(first.replaceAll(/\s+/g, ' ')).toContain('Page 1 of 50, 10000 forwards');
    expect(first).toContain('href="/domains/wide.example?page=2"');
    const some = (await get('/domains/wide.example?q=name0123&page=1')).text;
    expect(rowsOf(some)).toHaveLength(10);
  });

  test('the last changes name the run that made them', async () => {
    const history = await twoRuns(await temporaryDirectory());
    const domains = new Map([['acme.example', domainStatus()]]);
    const histories = () => [{ account: 'acme', history }];
    const { get } = await serve([accountStatus({ domains })], { histories });
    const flat = (await get('/domains/acme.example')).text.replaceAll(/\s+/g, ' ');
    expect(flat).toMatch(/Last changes.*alias.*old.*href="\/runs\/m7q2b8".*8 min ago/);
  });

  test('says what it does not know: not read, never named, more than is kept', async () => {
    const unread = domainStatus({ state: 'unknown', readAt: null });
    const cut = domainStatus({
      state: 'drifted',
      pending: { add: 0, update: 5_000, move: 0, delete: 0 },
      unnamed: { aliases: [], rules: [], ruleOrder: null, more: 12 },
    });
    const domains = new Map([
      ['events.example', unread],
      ['cut.example', cut],
    ]);
    const { get } = await serve([accountStatus({ domains })], { manifests: () => [EVENTS] });
    expect((await get('/domains/events.example')).text).toContain('the account was not read yet');
    const text = (await get('/domains/cut.example')).text.replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      '… and 12 more that only the account has: <code>fwdsync export --domain cut.example',
    );
    expect(text).toContain('<code>fwdsync plan --domain cut.example</code> lists them');
    for (const name of ['nowhere.example', '..%2f..%2fetc', '%00', '__proto__']) {
      const missing = await get(`/domains/${name}`);
      expect([missing.status, missing.text.includes('No such domain')]).toEqual([404, true]);
    }
  });

  test('a domain is found by its name as people write it, with any length and letter case', async () => {
    const long = `${'a'.repeat(60)}.`.repeat(4).slice(0, 245) + '.example';
    const names = ['xn--mnchen-3ya.example', long];
    const domains = new Map(names.map((name) => [name, domainStatus()]));
    const { get } = await serve([accountStatus({ domains })]);
    for (const [asked, name] of [
      ['MÜNCHEN.example', 'xn--mnchen-3ya.example'],
      [long, long],
    ] as const) {
      const { status, text } = await get(`/domains/${encodeURIComponent(asked)}`);
      expect([status, text.includes(`<title>${name} · fwdsync</title>`)]).toEqual([200, true]);
    }
  });

  test('a value behind a reference is shown as its reference, and is not found by its text', async () => {
    const { get } = await serve([eventsAccount()], {
      manifests: () => [EVENTS],
      disclosure: {
        references: new Map([['dan@corp.example', { shown: 'env:BOSS', written: { env: 'BOSS' } }]]),
        mask: false,
      },
    });
    const { text } = await get('/domains/events.example');
    expect(text).toContain('env:BOSS');
    expect(text).not.toContain('dan@corp.example');
    expect(rowsOf((await get('/domains/events.example?q=dan@corp')).text)).toEqual([]);
  });

  test.each(
    everyNth(3, [
      ['in the light', { viewport: { width: 1280, height: 900 } }],
      ['in the dark', { viewport: { width: 1920, height: 1080 }, colorScheme: 'dark' }],
      ['on 320 px', { viewport: { width: 320, height: 640 } }],
    ] as const),
  )('%s: axe finds nothing, and links lead from the overview to it and back', async (_, options) => {
    const { server } = await serveEvents();
    const { page, faults } = await openPage(browser, options);
    await page.goto(`http://127.0.0.1:${server.port}/`);
    await page.locator('#attention').getByRole('link', { name: 'events.example' }).click();
    await page.waitForURL(/domains\/events\.example$/);
    await page.locator('#live').getByText('Live').waitFor();
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      options.viewport.width,
    );
    await page.getByLabel('Name or destination').fill('jobs');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=jobs/);
    expect(await page.locator('#forwards tbody tr').count()).toBe(1);
    expect(await axe(page)).toEqual([]);
    await page.getByRole('link', { name: '← Overview' }).click();
    await page.waitForURL(/:\d+\/$/);
    expect(faults).toEqual([]);
  });
});
