import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axe } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { everyFleetState } from '../support/fleets.ts';
import { openPage } from '../support/open-page.ts';
import { allInSync, everyState, manyDomains } from '../support/scenery.ts';
import { serve } from '../support/serve.ts';
import { accountStatus, domainStatus } from '../support/statuses.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const SCREENS = [
  ['1,920 px in the dark', { viewport: { width: 1920, height: 1080 }, colorScheme: 'dark' }],
  ['1,280 px in the light', { viewport: { width: 1280, height: 800 } }],
  ['320 px', { viewport: { width: 320, height: 640 } }],
] as const;

describe('the view for a wall', () => {
  test.each(everyNth(3, SCREENS))('on %s: counters, and what needs attention alone', async (_, options) => {
    const { server } = await serve(everyState());
    const { page, faults } = await openPage(browser, options);
    await page.goto(`http://127.0.0.1:${server.port}/?view=wall`);
    await page.locator('#live').getByText('Live').waitFor();
    expect(await page.locator('h1').textContent()).toContain('Delivery is failing for 1 destination');
    const tiles = await page.locator('.tile').allTextContents();
    expect(tiles.map((tile) => tile.replaceAll(/\s+/g, ' ').trim())).toEqual([
      '✕ 1 Failing',
      '‖ 1 Withheld',
      '❄ 1 Frozen',
      '≠ 1 Drifted',
      '… 1 Not checked',
      '✓ 3 In sync',
    ]);
    const text = (await page.locator('#attention').textContent()) ?? '';
    for (const name of ['mail', 'shop', 'contest', 'events']) expect(text).toContain(`${name}.example`);
    expect(text).toMatch(/Not ready.*beta/s);
    expect(text).not.toMatch(/blog\.example|new\.example|In sync/);
    expect(await axe(page)).toEqual([]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(options.viewport.width);
    expect(faults).toEqual([]);
  });

  test.runIf(IS_FULL)(
    'shows the total of healthy domains, and changes as soon as something happens',
    async () => {
      let statuses = allInSync();
      const { server } = await serve(() => statuses);
      const { page } = await openPage(browser, { viewport: { width: 1920, height: 1080 } });
      await page.goto(`http://127.0.0.1:${server.port}/?view=wall`);
      await page.locator('#live').getByText('Live').waitFor();
      expect(await page.locator('.wall').textContent()).not.toContain('.example');
      expect(await axe(page)).toEqual([]);
      const gone = domainStatus({ state: 'failing', reason: 'it is gone' });
      statuses = [accountStatus({ domains: new Map([['acme.example', gone]]) })];
      server.notify();
      await page.locator('#attention').getByText('it is gone').waitFor();
      await page.getByRole('link', { name: 'Whole page' }).click();
      await page.getByRole('link', { name: 'View for a screen on a wall' }).click();
      await page.waitForURL(/view=wall/);
    },
  );

  test('lists some of many domains and counts the others', async () => {
    const { get } = await serve(manyDomains(10_000));
    const { text } = await get('/?view=wall');
    expect(text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).toMatch(
      /100 Drifted.*9900 In sync.*d00007\.example.*… and 75 more/,
    );
    expect(Buffer.byteLength(text)).toBeLessThan(30_000);
  });

  test.runIf(IS_FULL)('shows accounts of a fleet', async () => {
    const { server } = await serve([], { fleet: () => Promise.resolve(everyFleetState()) });
    const { page } = await openPage(browser);
    await page.goto(`http://127.0.0.1:${server.port}/?view=wall`);
    const text = (await page.locator('#attention').textContent()) ?? '';
    expect(text).toContain('b@agency.example');
    expect(text).not.toMatch(/In sync|Workers/);
    expect(await axe(page)).toEqual([]);
  });
});

describe('the part of the whole page that needs attention', () => {
  test.runIf(IS_FULL)('comes before everything else, appears while the page is open, and goes', async () => {
    let statuses = allInSync();
    const { server } = await serve(() => statuses);
    const { page } = await openPage(browser);
    await page.goto(`http://127.0.0.1:${server.port}/`);
    await page.locator('#live').getByText('Live').waitFor();
    expect(await page.locator('#attention').textContent()).toBe('');
    statuses = everyState();
    server.notify();
    await page.locator('#attention').getByText('mail.example').waitFor();
    expect(await page.locator('#domains tbody tr').count()).toBe(4);
    statuses = allInSync();
    server.notify();
    await page.locator('#attention').getByText('mail.example').waitFor({ state: 'detached' });
    expect(await page.locator('#domains tbody tr').count()).toBe(3);
  });

  test('a list that is filtered is one list', async () => {
    const { get } = await serve(everyState());
    for (const path of ['/?q=example', '/?state=drifted']) {
      const { text } = await get(path);
      expect(text).not.toContain('Needs attention');
      expect(text).toMatch(/<div id="domains".*events\.example.*id="route-title"/s);
    }
  });

  test('a page on which nothing else is says so', async () => {
    const domains = new Map(
      ['a', 'b'].map((name) => [`${name}.example`, domainStatus({ state: 'drifted' })] as const),
    );
    const { get } = await serve([accountStatus({ domains })]);
    expect((await get('/')).text).toContain('Every domain of this page needs attention.');
  });
});

describe('the box that says which addresses forward to a destination', () => {
  test.runIf(IS_FULL).each(SCREENS)(
    'on %s: by keyboard, with links to domains; axe finds nothing',
    async (_, options) => {
      const { server } = await serve(everyState());
      const { page, faults } = await openPage(browser, options);
      await page.goto(`http://127.0.0.1:${server.port}/`);
      await page.locator('#to').fill('ben@corp.example');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\?to=ben%40corp\.example/);
      const answer = (await page.locator('#senders').textContent()) ?? '';
      expect(answer.replaceAll(/\s+/g, ' ')).toMatch(
        /1 entry sends mail to ben@corp\.example.*sales@acme\.example no other destination; through team acme\.yaml:6.*fwdsync replace ben@corp\.example NEW --dry-run/,
      );
      expect(await axe(page)).toEqual([]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(options.viewport.width);
      await page.locator('#senders').getByRole('link').click();
      await page.waitForURL(/domains\/acme\.example$/);
      expect(faults).toEqual([]);
    },
  );

  test('says why there is no answer, and how many more there are', async () => {
    const all = 'fwdsync who x@corp.example';
    const { get } = await serve(allInSync(), {
      who: (text) =>
        Promise.resolve(
          text === 'all'
            ? {
                kind: 'found',
                headline: 'many',
                entries: [],
                more: 7,
                notes: ['<b>note</b>'],
                next: null,
                all,
              }
            : { kind: 'unclear', headline: `"${text}" is no address`, hint: 'write one' },
        ),
    });
    const many = (await get('/?to=all')).text.replaceAll(/\s+/g, ' ');
    expect(many).toContain('… and 7 more: <code>fwdsync who x@corp.example</code> lists them');
    expect(many).toContain('&lt;b&gt;note&lt;/b&gt;');
    expect((await get('/?to=%3Cx%3E')).text).toMatch(/&quot;&lt;x&gt;&quot; is no address.*write one/s);
  });
});
