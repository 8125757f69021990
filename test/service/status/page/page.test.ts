import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axe } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { openPage } from '../support/open-page.ts';
import { runEntry, twoRuns } from '../support/history.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { allInSync, everyState, manyDomains } from '../support/scenery.ts';
import { serve } from '../support/serve.ts';
import { accountStatus, domainStatus, READ_AT } from '../support/statuses.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';

const TOKEN = 'token-of-the-page-0123456789';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

function rows(page: Page): Promise<readonly string[]> {
  return page
    .locator('#attention tbody tr, #domains tbody tr')
    .evaluateAll((all) => all.map((one) => one.textContent ?? ''));
}

/** Presses Tab until the id and text of the focused element match. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(
      '(document.activeElement.id || "") + " " + document.activeElement.textContent.trim()',
    );
    if (new RegExp(text).test(focused)) return;
  }
  throw new Error(`no way to ${text} by Tab`);
}

/** Returns words that are broken over several lines although one line has room for them. */
const BROKEN_WORDS = `(() => {
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    for (const { 0: word, index } of text.data.matchAll(/[A-Za-z]{2,24}/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) broken.push(word);
    }
  }
  return broken;
})()`;

describe('the overview', () => {
  test('lists errors of a manifest before its other problems, of which ten are shown', async () => {
    const found = (severity: 'error' | 'notice', line: number) => ({
      severity,
      code: 'code',
      message: `${severity} of line ${line}`,
      hint: 'hint',
      source: { file: 'acme.yaml', line, column: 1 },
    });
    const problems = [...Array.from({ length: 12 }, (_, line) => found('notice', line)), found('error', 99)];
    const manifest = { state: 'refused', inForce: true, message: 'invalid', problems } as const;
    const { server } = await serve([accountStatus({ manifest })]);
    const text = await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
    expect(text.match(/(?:error|notice) of line \d+/g)).toEqual([
      'error of line 99',
      ...Array.from({ length: 9 }, (_, line) => `notice of line ${line}`),
    ]);
  });

  test('says the worst first, with the line, what resolves it, and the pending plan as a diff', async () => {
    const { server } = await serve(everyState());
    const { page, faults } = await openPage(browser);
    await page.goto(`http://127.0.0.1:${server.port}/`);
    expect(await page.locator('h1').textContent()).toContain(
      'Delivery is failing for 1 destination; 1 of 2 accounts is not ready; 1 of 8 domains is failing, 3 more need attention',
    );
    expect(await page.locator('h2').allTextContents()).toEqual([
      'Failed deliveries',
      'Accounts',
      'Needs attention',
      'Where does mail to',
      'Which addresses forward to',
      'Domains',
      'Last changes',
    ]);
    const all = await rows(page);
    expect(all.map((row) => /\S+\.example/.exec(row)?.[0])).toEqual([
      'mail.example',
      'shop.example',
      'contest.example',
      'events.example',
      'new.example',
      'acme.example',
      'beta.example',
      'blog.example',
    ]);
    const [failing = '', withheld = '', frozen = '', drifted = '', unknown = '', inSync = ''] = all;
    expect(failing).toMatch(/Failing.*acme\.yaml:29.*this forward is not allowed.*3 min ago/s);
    expect(withheld).toMatch(/Withheld.*acme\.yaml:31.*--allow-deletes 3.*old.*old@corp\.example/s);
    expect(frozen).toMatch(/Frozen.*acme\.yaml:22.*SIGHUP/s);
    expect(drifted).toMatch(/Drifted.*the next run applies it.*\+1.*~1.*-1/s);
    expect(drifted).toMatch(/jobs.*dan@corp\.example -> bob@corp\.example.*acme\.yaml:27/s);
    expect(unknown).toMatch(/Not checked.*never/s);
    expect(inSync).toMatch(/In sync/);
    const accounts = await page.locator('#accounts tbody tr').allTextContents();
    expect(accounts[0]).toMatch(/Not ready.*beta.*beta\.yaml:14.*did you mean.*2 h ago.*too old.*4 failed/s);
    expect(accounts[1]).toMatch(/Ready.*acme.*143 of 200.*3 min ago.*in 2 min.*unchanged/s);
    const mail = await page.locator('#deliveries tbody tr').allTextContents();
    expect(mail[0]).toMatch(
      /14 messages.*acme\.example.*alias sales.*acme\.yaml:6.*to bob@corp\.example: 550 5\.1\.1 no such mailbox.*2 h ago/s,
    );
    expect(await axe(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test.each(
    everyNth(3, [
      ['no JavaScript', { javaScriptEnabled: false }],
      ['the dark', { colorScheme: 'dark' }],
      ['320 px', { viewport: { width: 320, height: 640 } }],
    ] as const),
  )('in %s', async (name, options) => {
    const { server } = await serve(everyState());
    const { page, faults } = await openPage(browser, options);
    await page.goto(`http://127.0.0.1:${server.port}/?route=sales@acme.example`);
    expect(await rows(page)).toHaveLength(8);
    expect(await page.locator('#answer').textContent()).toContain('ana@corp.example');
    if (name === 'no JavaScript') {
      await page.getByText('Pending plan').first().click();
      expect(await page.getByText('dan@corp.example -> all@corp.example').isVisible()).toBe(true);
    } else {
      expect(await axe(page)).toEqual([]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(options === undefined ? 0 : (page.viewportSize()?.width ?? 0));
    }
    if (name === 'the dark') {
      const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(paper).toBe('rgb(17, 22, 29)');
    }
    expect(faults).toEqual([]);
  });

  test.runIf(IS_FULL)(
    'keyboard only: skip, ask for a route, filter by name and by state, open a plan, turn the page',
    async () => {
      const { server } = await serve(() => [...everyState(), ...manyDomains(60)]);
      const { page } = await openPage(browser);
      const focusOn = (text: string): Promise<void> => tabTo(page, text);
      await page.goto(`http://127.0.0.1:${server.port}/`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect(await page.evaluate<string>('document.activeElement.id')).toBe('content');
      await focusOn('^route ');
      await page.keyboard.type('sales@acme.example');
      await page.keyboard.press('Enter');
      await page.waitForURL(/route=sales%40acme\.example/);
      await focusOn('^q ');
      await page.keyboard.type('Events.Example');
      await page.keyboard.press('Enter');
      await page.waitForURL(/q=Events\.Example/);
      expect(page.url()).toContain('route=sales');
      expect(await page.locator('#domains details').first().getAttribute('open')).toBe('');
      await page.goto(`http://127.0.0.1:${server.port}/`);
      await focusOn('Withheld');
      await page.keyboard.press('Enter');
      await page.waitForURL(/state=withheld/);
      expect(await rows(page)).toHaveLength(1);
      await page.goto(`http://127.0.0.1:${server.port}/`);
      await focusOn('Pending plan');
      await page.keyboard.press('Enter');
      expect(await page.getByText('dan@corp.example -> all@corp.example').isVisible()).toBe(true);
      await focusOn('^state ');
      await page.keyboard.press('D');
      await focusOn('^ ?Show$');
      await page.keyboard.press('Enter');
      await page.waitForURL(/state=drifted/);
      await page.goto(`http://127.0.0.1:${server.port}/`);
      await focusOn('Next');
      await page.keyboard.press('Enter');
      await page.waitForURL(/page=2/);
      expect(await page.locator('.pager').textContent()).toContain('Page 2 of 3, 68 domains');
    },
  );

  test('content changes when the daemon reports it; open and focused elements stay', async () => {
    let statuses = everyState();
    const { server } = await serve(() => statuses);
    const { page, faults } = await openPage(browser);
    await page.goto(`http://127.0.0.1:${server.port}/`);
    await page.locator('#live').getByText('Live').waitFor();
    await page.locator('#route').fill('half@typed');
    await page.locator('#attention summary').nth(1).click();
    expect(await page.locator('#plan-shop\\.example').getAttribute('open')).toBe('');
    const [first] = statuses;
    const domains = new Map(first?.domains).set(
      'blog.example',
      domainStatus({ state: 'failing', reason: 'gone' }),
    );
    statuses = [accountStatus({ domains })];
    server.notify();
    await page.getByText('gone').waitFor();
    expect(await page.locator('h1').textContent()).toContain('2 of 7 domains are failing, 3 more');
    expect(await page.locator('#plan-shop\\.example').getAttribute('open')).toBe('');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain('-3');
    expect(await page.locator('#route').inputValue()).toBe('half@typed');
    await server.close();
    await page
      .locator('#live')
      .getByText(/Not live|Connection lost/)
      .waitFor();
    expect(faults.filter((fault) => !fault.includes('ERR_'))).toEqual([]);
  });

  test.each([
    [
      'a domain',
      { domains: new Map([['acme.example', domainStatus({ state: 'unknown', readAt: null })]]) },
      '1 of 1 domain not checked yet',
    ],
    [
      'the email logs',
      { delivery: { isRead: false, reasons: [], domains: new Map() } },
      'The domain is in sync; the email logs are not read yet',
    ],
    ['anything', { domains: new Map() }, 'No domain is managed'],
  ] as const)('is not green before %s was checked', async (_, more, text) => {
    const { get } = await serve([accountStatus(more)]);
    const page = (await get('/')).text.replaceAll(/\s+/g, ' ');
    expect(page).toMatch(new RegExp(`<h1 class="verdict open">.*${text} ?</h1>`));
  });

  test.each(['münchen', 'MÜNCHEN.example', 'mu\u0308nch', 'xn--mnchen'])(
    '%s finds the domain, before others',
    async (q) => {
      const names = ['a-xn--mnchen-3ya.example', 'xn--mnchen-3ya.example', 'acme.example'];
      const { get } = await serve([
        accountStatus({ domains: new Map(names.map((name) => [name, domainStatus()])) }),
      ]);
      const { text } = await get(`/?q=${encodeURIComponent(q)}`);
      expect(text).toContain('>xn--mnchen-3ya.example</a></b>');
      expect(text).not.toContain('>acme.example</a></b>');
    },
  );

  test.each(everyNth(4, [320, 700, 1280, 1920]))(
    'at %i px no word is broken, whatever is open',
    async (width) => {
      const budgets = new Map([['POST /domains/:domain/aliases/batch', { limit: 200, remaining: 143 }]]);
      const run = { id: 'r1', cause: 'sweep', at: READ_AT, seconds: 1, outcome: 'not-applied' } as const;
      const [first, ...others] = everyState();
      const message = `GET /account: 503: ${'the service is being repaired '.repeat(9)}`;
      const read = { at: READ_AT, ok: false, message, goodAt: READ_AT - 7_200_000 };
      const all = first === undefined ? [] : [{ ...first, budgets, run, read }, ...others];
      const { server } = await serve(all);
      const { page } = await openPage(browser, { viewport: { width, height: 900 } });
      await page.goto(`http://127.0.0.1:${server.port}/`);
      for (const details of await page.locator('details').all())
        await details.evaluate('(node) => { node.open = true; }');
      expect(await page.evaluate<readonly string[]>(BROKEN_WORDS)).toEqual([]);
    },
  );

  test.runIf(IS_FULL)('all is well, nothing is loaded, nothing matches', async () => {
    const { server } = await serve(allInSync());
    const { server: empty } = await serve([]);
    const { page } = await openPage(browser);
    await page.goto(`http://127.0.0.1:${server.port}/`);
    expect(await page.locator('h1').textContent()).toContain('All 3 domains are in sync');
    expect(await axe(page)).toEqual([]);
    await page.goto(`http://127.0.0.1:${server.port}/?q=nobody`);
    expect(await page.locator('#domains .empty').textContent()).toContain('No domain matches this filter');
    expect(await axe(page)).toEqual([]);
    await page.goto(`http://127.0.0.1:${empty.port}/`);
    expect(await page.locator('h1').textContent()).toContain('No account is loaded yet');
    expect(await axe(page)).toEqual([]);
  });
});

test('the last runs, and each with its diff', async () => {
  const history = await twoRuns(await temporaryDirectory());
  let statuses = allInSync();
  const histories = () => [{ account: 'acme', history }];
  const { server, get } = await serve(() => statuses, { histories });
  const { page, faults } = await openPage(browser);
  await page.goto(`http://127.0.0.1:${server.port}/`);
  const runs = await page.locator('#runs tbody tr').allTextContents();
  expect(runs[0]).toMatch(
    /m7q2b8.*apply by octocat \(github\).*0123456789.*partial.*-1.*1 failed.*8 min ago/s,
  );
  expect(runs[1]).toMatch(/k3v9x1.*run by ana on mail-1.*converged.*\+1.*~1.*1 h ago/s);
  await tabTo(page, 'm7q2b8');
  await page.keyboard.press('Enter');
  await page.waitForURL(/runs\/m7q2b8$/);
  const diff = await page.locator('.diff li').allTextContents();
  expect(diff[0]).toMatch(/-.*alias.*old.*dan@corp\.example/s);
  expect(diff[1]).toMatch(
    /\+.*alias.*bad.*nobody@corp\.example.*failed: this forward is not allowed.*acme\.yaml:7/s,
  );
  expect(await page.locator('main').textContent()).toContain('fwdsync undo m7q2b8');
  expect(await axe(page)).toEqual([]);
  await page.getByRole('link', { name: '← Overview' }).click();
  await page.waitForURL(/:\d+\/$/);
  for (const id of ['nothing', '..%2f..%2fetc', '%00', '__proto__']) {
    const { status, text } = await get(`/runs/${id}`);
    expect([status, text.includes('No such run')]).toEqual([404, true]);
  }
  // A history may be large, so it is read again only after another run of the account.
  const [own] = statuses;
  await history.append([runEntry('newest', new Date(READ_AT).toISOString())], 'written');
  expect((await get('/')).text).not.toContain('runs/newest');
  statuses =
    own === undefined ? [] : [{ ...own, run: own.run === null ? null : { ...own.run, id: 'newest' } }];
  await expect.poll(async () => (await get('/')).text).toContain('runs/newest');
  expect(faults).toEqual([]);
});

describe('signing in', () => {
  test('asks, says what is wrong, remembers, and forgets', async () => {
    const { server } = await serve(allInSync(), { token: TOKEN });
    const { page, faults } = await openPage(browser);
    await page.goto(`http://127.0.0.1:${server.port}/`);
    expect(await page.content()).not.toContain('acme.example');
    expect(await axe(page)).toEqual([]);
    await tabTo(page, '^token ');
    await page.keyboard.type('no');
    await page.keyboard.press('Enter');
    await page.getByText('Wrong token.').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('Token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByText('All 3 domains are in sync').waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${server.port}/`);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(cookie?.value).not.toContain(TOKEN);
    await page.reload();
    await tabTo(page, 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByLabel('Token').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  test.runIf(IS_FULL)(
    'every other view, in the dark and at 320 px: axe-core finds nothing, and nothing is wider than the screen',
    async () => {
      const history = await twoRuns(await temporaryDirectory());
      const histories = () => [{ account: 'acme', history }];
      const { server } = await serve(allInSync(), { histories });
      const { server: locked, get } = await serve(allInSync(), { token: TOKEN });
      const { server: far } = await serve(allInSync(), { basePath: '/mail' });
      for (let count = 0; count < 11; count += 1) await get('/', { headers: { authorization: 'Bearer x' } });
      const { page } = await openPage(browser, {
        colorScheme: 'dark',
        viewport: { width: 320, height: 640 },
      });
      for (const [address, text] of [
        [`${server.port}/runs/m7q2b8`, 'this forward is not allowed'],
        [`${server.port}/runs/nothing`, 'No such run'],
        [`${locked.port}/`, 'Sign in'],
        [`${far.port}/mail/`, 'Not served here'],
      ] as const) {
        await page.goto(`http://127.0.0.1:${address}`);
        await page.getByText(text).first().waitFor();
        expect([address, await axe(page)]).toEqual([address, []]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      }
      await page.goto(`http://127.0.0.1:${locked.port}/`);
      await page.getByLabel('Token').fill('x');
      await page.keyboard.press('Enter');
      await page.getByText('Too many wrong tokens').waitFor();
      expect(await axe(page)).toEqual([]);
    },
  );

  test('a page of another site reaches nothing', async () => {
    const { server } = await serve(allInSync());
    const { server: other } = await serve(allInSync());
    const { page } = await openPage(browser);
    await page.goto(`http://localhost:${other.port}/healthz`);
    const port = server.port;
    const reached = await page.evaluate<readonly string[]>(`Promise.all(
      ['/', '/status', '/events', '/style.css', '/metrics'].flatMap((path) => ['cors', 'no-cors'].map(async (mode) => {
        const answer = await fetch('http://127.0.0.1:${port}' + path, { mode }).catch(() => null);
        return answer && answer.type !== 'opaque' ? path : '';
      }))).then((all) => all.filter(Boolean))`);
    expect(reached).toEqual([]);
    const framed = await page.evaluate<boolean>(`new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.onload = () => resolve(Boolean(frame.contentDocument));
      frame.src = 'http://127.0.0.1:${port}/';
      document.body.append(frame);
      setTimeout(() => resolve(false), 1500);
    })`);
    expect(framed).toBe(false);
    // A link is followed.
    await page.evaluate(`location.href = 'http://127.0.0.1:${port}/'`);
    await page.getByText('All 3 domains are in sync').waitFor();
  });
});
