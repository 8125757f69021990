import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axe } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { everyFleetState, fleet, fleetAccount, fleetWorker } from '../support/fleets.ts';
import { openPage } from '../support/open-page.ts';
import { serve, type Served } from '../support/serve.ts';
import type { Fleet } from '../../../../src/core/model/status/fleet.ts';
import { everyNth } from '../../../support/share.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

function serveFleet(shown: Fleet | null): Promise<Served> {
  return serve([], { fleet: () => Promise.resolve(shown) });
}

/** Returns the states and accounts of the rows. */
function rowsOf(text: string): readonly string[] {
  return [...text.matchAll(/<b class="name">(\w)@agency\.example/g)].map(([, name]) => name ?? '');
}

describe('the page of a worker', () => {
  test.each(
    everyNth(3, [
      ['in the light', {}],
      ['in the dark', { colorScheme: 'dark' }],
      ['on 320 px', { viewport: { width: 320, height: 640 } }],
    ] as const),
  )('%s: accounts, worst first, workers, and what waits', async (_, options) => {
    const { server } = await serveFleet(everyFleetState());
    const { page, faults } = await openPage(browser, options);
    await page.goto(`http://127.0.0.1:${server.port}/`);
    expect(await page.locator('h1').textContent()).toContain(
      '1 worker lost; 1 of 8 accounts is unattended, 4 more need attention',
    );
    const rows = await page.locator('#attention tbody tr, #accounts tbody tr').allTextContents();
    const [unattended, failing, , , drifted, unknown, behind] = [0, 1, 2, 3, 4, 5, 6].map((at) => rows[at]);
    expect(unattended).toMatch(/Unattended.*b@agency\.example.*revision 2.*check that workers run.*2 h ago/s);
    expect(failing).toMatch(
      /Failing.*c@agency\.example.*the key of \*\*\*@?corp\.example <b>.*replace the key/s,
    );
    expect(drifted).toMatch(/Drifted.*4 drifted/s);
    expect(unknown).toMatch(/Not checked.*revision none -> 2.*never/s);
    expect(behind).toMatch(
      /Not checked.*h@agency\.example.*revision 1 -> 2 · running on process 12 on alpha/s,
    );
    const workers = await page.locator('#workers').textContent();
    expect(workers).toMatch(/Running.*process 12 on alpha.*scheduler.*3 of 50.*Lost.*process 9 on beta/s);
    expect(workers).toMatch(/3 runs waiting for a worker, the first for 12 s\..*For 2 accounts/s);
    expect(await axe(page)).toEqual([]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    expect(faults).toEqual([]);
  });

  test.each([
    [
      'known.example',
      'The page of process 12 on alpha shows it: that worker made the last run of this account.',
    ],
    ['lost.example', 'The worker that ran this account last has ended.'],
    ['new.example', 'No worker has run this account yet.'],
    ['none.example', 'No published manifest is known to name this domain.'],
    ['fault.example', 'The store cannot be read, and this worker has not run the domain.'],
  ])('says where %s is shown', async (domain, sentence) => {
    const shown = fleet(
      [
        fleetAccount({ email: 'known@agency.example' }),
        fleetAccount({ email: 'lost@agency.example', ranOn: 'w2' }),
        fleetAccount({ email: 'new@agency.example', ranOn: null }),
      ],
      { workers: everyFleetState().workers },
    );
    const accountOf = (asked: string): Promise<string | null> => {
      const [name] = asked.split('.');
      if (name === 'fault') return Promise.reject(new Error('the connection is gone'));
      return Promise.resolve(name === 'none' ? null : `${name}@agency.example`);
    };
    const { get } = await serve([], {
      fleet: () => Promise.resolve(shown),
      fleetDomains: { ran: () => [], accountOf },
    });
    const { status, text } = await get(`/domains/${domain}`);
    expect(status).toBe(404);
    expect(text).toContain(sentence);
  });

  test('names the domains that do not receive mail, and so does /status', async () => {
    const notReceiving = { stopped: ['a.example'], never: ['b.example', 'c.example'] };
    const error = 'a.example no longer receives mail, according to the service';
    const { get } = await serveFleet(fleet([fleetAccount({ state: 'not-receiving', error, notReceiving })]));
    expect((await get('/')).text.replaceAll(/<[^>]*>|\s+/g, ' ')).toMatch(
      /Not receiving .* a\.example no longer receives .*; b\.example, c\.example have never received .* fwdsync verify a\.example/,
    );
    expect(JSON.parse((await get('/status')).text)).toMatchObject({ accounts: [{ error, notReceiving }] });
  });

  test('filters by name and by state, and turns pages', async () => {
    const { get } = await serveFleet(everyFleetState());
    expect(rowsOf((await get('/')).text)).toEqual(['b', 'c', 'd', 'e', 'f', 'g', 'h', 'a']);
    expect(rowsOf((await get('/?state=unattended')).text)).toEqual(['b']);
    expect(rowsOf((await get('/?q=H%40Agency')).text)).toEqual(['h']);
    expect((await get('/?q=nobody')).text).toContain('No account matches this filter.');
  });

  test('with 5,000 accounts it is as small as with 30', async () => {
    const many = (count: number): Fleet =>
      fleet(
        Array.from({ length: count }, (_, index) =>
          fleetAccount({ id: String(index), email: `ops-${10_000 + index}@agency.example` }),
        ),
      );
    const few = await (await serveFleet(many(30))).get('/');
    const { get } = await serveFleet(many(5_000));
    const { text } = await get('/');
    expect(text).toContain('All 5000 accounts are in sync');
    expect(text).toContain('Page 1 of 200, 5000 accounts');
    expect(text.length).toBeLessThan(few.text.length + 200);
    expect((await get('/?page=200')).text).toContain('ops-14999@agency.example');
  });

  test.each([
    ['No account is published yet', fleet([])],
    ['The account is in sync', fleet([fleetAccount()])],
    ['1 of 1 account not checked yet', fleet([fleetAccount({ state: 'unknown' })])],
    ['1 of 1 account has drifted', fleet([fleetAccount({ state: 'drifted' })])],
    ['No worker is the scheduler', fleet([fleetAccount()], { workers: [fleetWorker({ scheduler: false })] })],
    ['No worker is the scheduler', fleet([fleetAccount()], { workers: [] })],
    ['The store cannot be read', null],
  ])('says %s', async (text, shown) => {
    const mood = text.endsWith('sync') ? 'well' : text.endsWith('checked yet') ? 'open' : 'unwell';
    const { get } = await serveFleet(shown);
    expect((await get('/')).text.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`class="verdict ${mood}">.*${text} ?</h1>`),
    );
  });

  test('answers /status with 503 while the store cannot be read', async () => {
    const { status, text } = await (await serveFleet(null)).get('/status');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({ error: 'The store cannot be read: see the log of the worker' });
  });

  test('asks for the token as that of the daemon does', async () => {
    const { get } = await serve([], {
      fleet: () => Promise.resolve(everyFleetState()),
      token: 'a'.repeat(32),
    });
    const refused = await get('/');
    expect(refused.status).toBe(401);
    expect(refused.text).not.toContain('agency.example');
  });
});
