import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fwdsync, type CommandResult } from '../../../support/command.ts';
import { changesOf, struck } from '../../support/struck.ts';
import { ACME, OLD_MX, startMove } from './support/moving.ts';
import { runs } from '../../../support/share.ts';

/** A manifest without test mail, so that calls are short. */
const MANIFEST = 'domains: { acme.example: { aliases: { info: ana@corp.example } } }\n';

test(
  'killed at every write of its memory: that is old or new, and the next call goes on',
  { timeout: 120_000 },
  async () => {
    const { scene, dns } = await startMove({ manifest: MANIFEST });
    const move = (env: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
      fwdsync(['move', ACME, '--resolver', dns.resolver], {
        cwd: scene.directory,
        env: { ...scene.env, ...env },
      });
    dns.put(ACME, 'MX', [OLD_MX], { ttl: 7200 });
    await move();
    const state = join(scene.directory, 'state');
    const file = join(state, (await readdir(state))[0] ?? '', 'moves', `${ACME}.json`);
    const old = await readFile(file, 'utf8');

    dns.put(ACME, 'MX', [OLD_MX], { ttl: 300 });
    const whole = await move(struck({ COUNTED: '/moves/' }));
    const changes = changesOf(whole);
    // The file is created, filled, flushed and renamed. Leftovers beside it are removed.
    expect([whole.code, changes]).toEqual([2, 5]);
    const kept: boolean[] = [];
    for (const nth of runs([1, 2, 3, 4, 5], [4])) {
      await writeFile(file, old);
      expect((await move(struck({ COUNTED: '/moves/', KILLED_AT: String(nth) }))).code).toBe(null);
      const text = await readFile(file, 'utf8');
      kept.push(text === old);
      expect(JSON.parse(text)).toMatchObject({ ttl: { seconds: text === old ? 7200 : 300 } });
      const next = await move();
      expect([next.code, next.stdout]).toEqual([2, expect.stringMatching(/^waiting +ttl, until /m)]);
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
        ttl: { seconds: 300, formerUntil: expect.any(String) as string },
      });
    }
    expect(kept).toEqual(runs([true, true, true, true, false], [true]));
  },
);
