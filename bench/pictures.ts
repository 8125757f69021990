// Makes the pictures of the page in docs/pictures/, with the real server and Debian's Chromium: npm run pictures
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { DISCLOSE_ALL } from '../src/core/model/destinations.ts';
import { createMetrics } from '../src/service/status/metrics.ts';
import { startStatusServer } from '../src/service/status/status-server.ts';
import { openBrowser } from '../test/service/status/support/browser.ts';
import { twoRuns } from '../test/service/status/support/history.ts';
import { EVENTS } from '../test/service/status/support/one-domain.ts';
import { everyState } from '../test/service/status/support/scenery.ts';
import { whoAnswer } from '../test/service/status/support/serve.ts';
import { READ_AT } from '../test/service/status/support/statuses.ts';
import { virtualClock } from '../test/support/clock.ts';

const OUT = join(import.meta.dirname, '../docs/pictures');

const VIEWS = [
  { name: 'page', path: '/', width: 1000, height: 1000 },
  { name: 'diff', path: '/?q=events.example&route=sales@acme.example', width: 1000, height: 740 },
  { name: 'run', path: '/runs/m7q2b8', width: 1000, height: 420 },
  { name: 'domain', path: '/domains/events.example', width: 1000, height: 1000 },
  { name: 'phone', path: '/', width: 320, height: 900 },
] as const;

const directory = await mkdtemp(join(tmpdir(), 'fwdsync-pictures-'));
const history = await twoRuns(directory);
const server = await startStatusServer({
  host: '127.0.0.1',
  port: 0,
  token: null,
  basePath: null,
  program: { version: '', commit: null, builtAt: null, node: '' },
  clock: virtualClock(READ_AT + 180_000),
  statuses: everyState,
  histories: () => [{ account: 'acme', history }],
  manifests: () => [EVENTS],
  who: (destination) => Promise.resolve(whoAnswer(destination)),
  isAlive: () => true,
  metrics: createMetrics({ version: '', statuses: everyState }),
  conceal: (text) => text,
  disclosure: DISCLOSE_ALL,
  command: (words) => `fwdsync ${words}`,
  route: (address) => ({
    kind: 'way',
    headline: `${address} -> carol@corp.example`,
    lines: ['  alias sales matches it by its name (acme.yaml:6:7)'],
  }),
});
await mkdir(OUT, { recursive: true });
const browser = await openBrowser();
for (const scheme of ['light', 'dark'] as const) await photograph(browser, scheme);
await browser.close();
await server.close();
await rm(directory, { recursive: true });

async function photograph(by: Browser, scheme: 'light' | 'dark'): Promise<void> {
  for (const { name, path, width, height } of VIEWS) {
    const page = await by.newPage({ colorScheme: scheme, viewport: { width, height } });
    await page.goto(`http://127.0.0.1:${server.port}${path}`);
    if (name !== 'run') await page.locator('#live').getByText('Live').waitFor();
    await page.screenshot({ path: join(OUT, `${name}-${scheme}.png`) });
    await page.close();
  }
}
