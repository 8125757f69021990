import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Emulator } from '../../src/emulator/http/server.ts';
import { byHand } from '../../test/support/by-hand.ts';
import { build, inDirectory } from '../processes.ts';
import { ACCOUNT, KEY, startRealEmulator } from '../real-daemon.ts';
import type { Section } from '../section.ts';

const DOMAINS = 10_000;
const ALIASES = 20;
const DRIFTED = [17, 4_711, 9_999];

/** Counts the requests to check a large account with three drifted domains, with and without quick drift. */
export async function measureDrift(): Promise<Section> {
  const emulator = await startRealEmulator(
    domainNames().map((domain) => ({
      domain,
      aliases: aliasNames().map((alias) => ({ alias, forward: 'ana@corp.example' })),
    })),
    { rateLimit: 1_000_000 },
  );
  try {
    const [whole, quick] = await inDirectory((directory) => countRequests(directory, emulator));
    return {
      title: 'Quick drift',
      text: [
        `An account of ${DOMAINS.toLocaleString('en')} domains with ${ALIASES} aliases each was in sync after an ` +
          `earlier run. Then one alias in each of ${DRIFTED.length} domains was changed. v3 lists 100 domains with ` +
          'their aliases in one request. The domains that a daemon reads in full in turn are not counted.',
      ],
      head: ['command', 'requests'],
      rows: [
        ['`plan`', whole.toLocaleString('en')],
        ['`plan --quick --drift-url`', quick.toLocaleString('en')],
      ],
      figures: [
        {
          name: 'requests with quick drift / without, 3 of 10,000 domains drifted',
          value: quick / whole,
          atMost: 0.02,
        },
      ],
    };
  } finally {
    await emulator.close();
  }
}

async function countRequests(
  directory: string,
  emulator: Emulator,
): Promise<readonly [whole: number, quick: number]> {
  const { urls, journal, store } = emulator;
  const command = build(directory);
  const manifest = join(directory, 'fwdsync.yaml');
  writeFileSync(manifest, manifestOf());
  const run = async (...args: readonly string[]): Promise<number> => {
    const before = journal.total();
    await promisify(execFile)(process.execPath, [command, ...args, '-f', manifest, '--api-url', urls.v4], {
      env: { PATH: process.env['PATH'], FWDSYNC_API_KEY: KEY, FWDSYNC_STATE_DIR: join(directory, 'kept') },
      maxBuffer: 100_000_000,
    });
    return journal.total() - before;
  };
  await run('apply', '--yes', '--account', ACCOUNT);
  const drifted = new Set(DRIFTED.map((index) => `domain${index}.example`));
  for (const { domain, aliases } of store.dump().domains.filter((entry) => drifted.has(entry.domain))) {
    const path = `/v4/domains/${domain}/aliases/${aliases[0]?.id}`;
    await byHand(emulator, 'PUT', path, { forward: 'eve@corp.example' });
  }
  const whole = await run('plan');
  return [whole, await run('plan', '--quick', '--drift-url', urls.v3)];
}

function manifestOf(): string {
  const aliases = aliasNames().map((alias) => `      ${alias}: ana@corp.example\n`);
  const domains = domainNames().map((domain) => `  ${domain}:\n    aliases:\n${aliases.join('')}`);
  return `version: 1\ndomains:\n${domains.join('')}`;
}

function domainNames(): readonly string[] {
  return Array.from({ length: DOMAINS }, (_, index) => `domain${index}.example`);
}

function aliasNames(): readonly string[] {
  return Array.from({ length: ALIASES }, (_, index) => `user${index}`);
}
