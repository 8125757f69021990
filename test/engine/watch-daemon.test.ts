import * as fs from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { POLL_MS } from '../../src/service/daemon/daemon.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { manifestText } from './support/file-changes.ts';
import { createWorld, HOUR, MINUTE, type World } from './support/world.ts';
import { startWatched, systemWatchers } from './support/watched-world.ts';

/** 28 changes with the whole daemon, real files and the real watcher, in virtual time. */

function forwards({ core }: World): readonly string[] {
  return core.store.dump().domains.flatMap(({ aliases }) => aliases.map(({ forward }) => forward));
}

interface Death {
  readonly name: string;
  /** Closes the system's watchers that the watcher uses. */
  readonly strike: (path: string) => Promise<void>;
  /** True if the watcher notices it. */
  readonly told: readonly string[];
}

const DEATHS: readonly Death[] = [
  {
    name: 'the system closes it and says nothing',
    strike: () => Promise.resolve(systemWatchers().forEach((watcher) => watcher.close())),
    told: [],
  },
  {
    name: 'the system gives it up with an error',
    strike() {
      const error = Object.assign(new Error('ENOSPC: system limit for watchers'), { code: 'ENOSPC' });
      return Promise.resolve(systemWatchers().forEach((watcher) => watcher.emit('error', error)));
    },
    told: ['ENOSPC: system limit for watchers'],
  },
  {
    name: 'a directory above is replaced: what it watches is elsewhere now',
    async strike(path) {
      const above = dirname(dirname(path));
      await fs.rename(above, `${above}-before`);
      await fs.mkdir(dirname(path), { recursive: true });
      await fs.writeFile(path, manifestText('ana'));
    },
    told: [],
  },
];

test.each(DEATHS)(
  'a watcher that dies, $name: the next edit is found, and another watcher hears the one after it',
  async ({ strike, told }) => {
    const path = join(await temporaryDirectory(), 'above', 'manifests', 'm.yaml');
    await fs.mkdir(dirname(path), { recursive: true });
    await fs.writeFile(path, manifestText('ana'));
    const world = await createWorld({ seed: { domains: [{ domain: 'acme.example' }] } });
    const { clock } = world;
    const daemon = await startWatched(world, { path, intervalMs: HOUR });
    await daemon.ready();
    await clock.pass(MINUTE);
    expect(forwards(world)).toEqual(['ana@corp.example']);
    expect(systemWatchers()).not.toEqual([]);

    await strike(path);
    const before = daemon.heard();
    await fs.writeFile(path, manifestText('bob'));
    await clock.pass(POLL_MS + 5_000);
    expect(forwards(world)).toEqual(['bob@corp.example']);
    const failures = world.events.flatMap((event) =>
      event.kind === 'watcher-failed' ? [event.message] : [],
    );
    expect(failures).toEqual(told);
    if (told.length === 0) expect(daemon.heard()).toBe(before);

    await clock.pass(POLL_MS);
    expect(daemon.watchers()).toBe(2);
    await daemon.ready();
    const deaf = daemon.heard();
    await fs.writeFile(path, manifestText('eve'));
    await expect.poll(() => daemon.heard()).toBeGreaterThan(deaf);
    await clock.pass(2_000);
    expect(forwards(world)).toEqual(['eve@corp.example']);
    await daemon.stop();
  },
);

test('if each new watcher dies at once, this is reported once, and again after a working one', async () => {
  const path = join(await temporaryDirectory(), 'm.yaml');
  await fs.writeFile(path, manifestText('ana'));
  const world = await createWorld({ seed: { domains: [{ domain: 'acme.example' }] } });
  const daemon = await startWatched(world, { path, intervalMs: HOUR });
  const strike = async (): Promise<void> => {
    await daemon.ready();
    for (const watcher of systemWatchers()) watcher.emit('error', new Error('ENOSPC'));
    await world.clock.pass(POLL_MS);
  };
  const told = (): number => world.events.filter(({ kind }) => kind === 'watcher-failed').length;
  for (let round = 1; round <= 3; round += 1) await strike();
  expect(daemon.watchers()).toBe(4);
  expect(told()).toBe(1);
  await world.clock.pass(POLL_MS);
  await strike();
  expect(told()).toBe(2);
  await daemon.stop();
});

test('10,000 rewrites of files in a second are a few readings and runs, none beside another, and the last content is what is loaded', async () => {
  const directory = join(await temporaryDirectory(), 'manifests');
  await fs.mkdir(directory);
  // Fewer than the guard against reroutes allows.
  const domains = Array.from({ length: 8 }, (_, index) => `d${index}.example`);
  const rewrite = (index: number, forward: string): void => {
    const domain = domains[index % domains.length] ?? '';
    writeFileSync(
      join(directory, `${domain}.yaml`),
      `version: 1\ndomains:\n  ${domain}: { aliases: { info: ${forward}@corp.example } }\n`,
    );
  };
  domains.forEach((_, index) => rewrite(index, 'first'));
  const world = await createWorld({ seed: { domains: domains.map((domain) => ({ domain })) } });
  const { clock, events } = world;
  const daemon = await startWatched(world, { path: directory, intervalMs: HOUR });
  await daemon.ready();
  await clock.pass(MINUTE);
  expect(forwards(world)).toEqual(domains.map(() => 'first@corp.example'));
  let systemEvents = 0;
  for (const watcher of systemWatchers()) {
    watcher.on('change', () => {
      systemEvents += 1;
    });
  }
  events.length = 0;
  const writes = world.writes().length;

  for (let count = 1; count <= 10_000; count += 1) {
    rewrite(count, `at${count}`);
    if (count % 200 === 0) await clock.pass(20);
  }
  await expect.poll(() => systemEvents).toBeGreaterThanOrEqual(10_000);
  await clock.pass(5_000);
  expect(forwards(world)).toEqual(
    domains.map((_, index) => `at${index === 0 ? 10_000 : 9_992 + index}@corp.example`),
  );
  const readings = events.filter(({ kind }) => kind === 'manifest-accepted').length;
  expect(readings).toBeGreaterThan(0);
  expect(readings).toBeLessThanOrEqual(3);
  expect(world.writes().length - writes).toBeLessThanOrEqual(readings * domains.length);
  expect(daemon.watchers()).toBe(1);
  const runs = events.filter(({ kind }) => kind === 'run-started' || kind === 'run-finished');
  expect(runs.map(({ kind }) => kind)).toEqual(
    runs.map((_, index) => (index % 2 === 0 ? 'run-started' : 'run-finished')),
  );
  await daemon.stop();
});
