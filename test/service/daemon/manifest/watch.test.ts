import { rmSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../../src/core/model/clock.ts';
import {
  createManifestSource,
  type ManifestRead,
  type SourceOptions,
} from '../../../../src/service/daemon/manifest/manifest-source.ts';
import { watchFiles } from '../../../../src/service/daemon/manifest/watch.ts';
import { virtualClock } from '../../../support/clock.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { FILE_CHANGES, manifestText, writeFile } from '../../../engine/support/file-changes.ts';
import { runs } from '../../../support/share.ts';

function sourceOf(
  path: string,
  options: Partial<SourceOptions> = {},
): ReturnType<typeof createManifestSource> {
  return createManifestSource({
    paths: [path],
    fs,
    stdin: Readable.from([]),
    cwd: '/',
    clock: virtualClock(),
    load: { references: 'required', apiVersion: 'v4' },
    readReferences: () => Promise.resolve(() => null),
    ...options,
  });
}

function forwardOf(look: ManifestRead | null): string | undefined {
  const domain = look?.kind === 'good' ? [...look.desired.domains.values()][0] : undefined;
  const alias = domain?.state === 'present' ? [...(domain.aliases?.entries.values() ?? [])][0] : undefined;
  return alias?.state === 'present' ? alias.forward.join() : undefined;
}

describe.each(FILE_CHANGES)('28: $name', ({ prepare, change }) => {
  test('is found by its content, independent of events', async () => {
    const directory = await temporaryDirectory();
    const source = sourceOf(await prepare(directory));
    expect(forwardOf(await source.read())).toBe('ana@corp.example');
    expect(await source.read()).toBeNull();
    for (const forward of ['bob', 'eve'] as const) {
      await change(directory, forward);
      expect(forwardOf(await source.read())).toBe(`${forward}@corp.example`);
      expect(await source.read()).toBeNull();
    }
  });

  test('is heard of at once, and so is the next', async () => {
    const directory = await temporaryDirectory();
    const watch = await listen(await prepare(directory));
    for (const forward of ['bob', 'eve'] as const) {
      await watch.quiet();
      await change(directory, forward);
      await watch.heard();
    }
    expect(watch.errors).toEqual([]);
  });
});

interface Listener {
  readonly errors: readonly unknown[];
  /** Waits until earlier changes cause no more events. */
  quiet(): Promise<void>;
  /** Waits for the first event after `quiet`. */
  heard(): Promise<void>;
}

async function listen(path: string): Promise<Listener> {
  const errors: unknown[] = [];
  let events = 0;
  const watch = watchFiles({
    paths: [path],
    onChange() {
      events += 1;
    },
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => watch.close());
  await watch.ready;
  return {
    errors,
    async quiet() {
      do {
        events = 0;
        await sleep(250);
      } while (events > 0);
    },
    heard: () => expect.poll(() => events, { interval: 5 }).toBeGreaterThan(0),
  };
}

test('a file that keeps changing while it is read is read until two readings agree', async () => {
  const directory = await temporaryDirectory();
  const path = await writeFile(directory);
  let left = 5;
  const clock: Clock = {
    ...virtualClock(),
    async sleep() {
      left -= 1;
      if (left >= 0)
        await fs.writeFile(
          path,
          left === 0 ? manifestText('bob') : manifestText(`half${left}`).slice(0, -10),
        );
    },
  };
  expect(forwardOf(await sourceOf(path, { clock }).read())).toBe('bob@corp.example');
});

test('one that never comes to rest is refused, and read again at the next look', async () => {
  const directory = await temporaryDirectory();
  const path = await writeFile(directory);
  let count = 0;
  const clock: Clock = {
    ...virtualClock(),
    sleep: () => fs.writeFile(path, manifestText(`a${(count += 1)}`)),
  };
  const source = sourceOf(path, { clock });
  expect(await source.read()).toMatchObject({ kind: 'bad' });
});

test('a value behind a reference that changes is a change of the manifest', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'm.yaml');
  await fs.writeFile(
    path,
    'version: 1\ndestinations: { boss: { env: BOSS } }\ndomains:\n  a.example: { aliases: { b: boss } }\n',
  );
  let boss = 'ana@corp.example';
  const source = sourceOf(path, { readReferences: () => Promise.resolve(() => boss) });
  expect(forwardOf(await source.read())).toBe('ana@corp.example');
  expect(await source.read()).toBeNull();
  boss = 'bob@corp.example';
  expect(forwardOf(await source.read())).toBe('bob@corp.example');
});

test('a path that is not there yet is heard of when it comes', async () => {
  const directory = await temporaryDirectory();
  const watch = await listen(join(directory, 'm.yaml'));
  await writeFile(directory);
  await watch.heard();
});

test('28: after more events than the system keeps, changes are heard', { timeout: 120_000 }, async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'manifests');
  await fs.mkdir(path);
  const watch = await listen(path);
  // Each file causes three events: it is created, written and deleted.
  for (let number = 0; number < runs(67_000, 10_000); number += 1) {
    const file = join(path, `${number}.yaml`);
    writeFileSync(file, 'x');
    rmSync(file);
    if (number % 100 === 0) await sleep(1);
  }
  await watch.quiet();
  await fs.writeFile(join(path, 'fwdsync.yaml'), 'x');
  await watch.heard();
  expect(watch.errors).toEqual([]);
});
