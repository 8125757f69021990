import * as fs from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createClient } from '../../../src/client/create.ts';
import { createDns } from '../../../src/client/dns/ask.ts';
import { DISCLOSE_ALL } from '../../../src/core/model/destinations.ts';
import { fail, succeed } from '../../../src/core/model/result.ts';
import { plainCommand } from '../../../src/core/model/text/command-line.ts';
import { openStateDirectory } from '../../../src/engine/state/directory.ts';
import { systemProcesses } from '../../../src/engine/state/processes.ts';
import { safeTextWith } from '../../../src/service/delivery/safe-text.ts';
import { parseMemory } from '../../../src/service/move/memory-text.ts';
import { moveOnce } from '../../../src/service/move/move-once.ts';
import type { MovePorts, MoveQuestion } from '../../../src/service/move/ports.ts';
import { ACME, MANIFEST, SERVICE_MX, startMove } from '../../cli/commands/move/support/moving.ts';
import { KEY, OWNER } from '../../cli/support/scene.ts';
import { acmeOf, desiredOf } from '../../core/manifest/support/loading.ts';

test('with two callers, the later answers of DNS count, even if the earlier caller ends last', async () => {
  const { scene, dns, check } = await startMove();
  const { clock, emulator, directory } = scene;
  const desired = desiredOf(`version: 1\n${MANIFEST}`);
  const domain = acmeOf(desired);
  const question: MoveQuestion = { desired, domain, imported: null, formerTtl: null };
  const shared = { clock, random: () => 0.5 };
  const url = emulator.urls.v4;
  const client = createClient({ ...shared, url, version: 'v4', key: KEY, mode: 'read-write' });
  const state = openStateDirectory({
    directory,
    account: OWNER,
    apiUrl: url,
    fs,
    clock,
    processes: systemProcesses(fs, 'test'),
  });
  const call = (whileItRehearses: () => Promise<unknown>): ReturnType<typeof moveOnce> => {
    const ports: MovePorts = {
      clock,
      dns: createDns(shared),
      resolver: { host: '127.0.0.1', port: dns.port },
      serverPort: dns.port,
      readPolicyFile: async () => fail('there is none'),
      client,
      plan: async () => fail({ kind: 'not-found', status: 404, endpoint: 'GET /', message: 'not asked' }),
      async rehearse() {
        await whileItRehearses();
        return succeed({ sent: 0, failures: [], left: 0 });
      },
      state,
      show: { text: safeTextWith(() => DISCLOSE_ALL), destinations: (all) => all.join() },
    };
    return moveOnce(question, ports, plainCommand);
  };

  let switchedAt = 0;
  const late = await call(async () => {
    clock.advance(60_000);
    dns.put(ACME, 'MX', SERVICE_MX);
    check({ mx: true });
    switchedAt = clock.now();
    expect(await call(async () => undefined)).toMatchObject({ ok: true });
    clock.advance(60_000);
  });
  expect(late).toMatchObject({ ok: true });
  const text = await state.moves.read(domain.domain);
  expect(parseMemory(text ?? '')).toMatchObject({ switchedAt, seenAt: switchedAt });
  await client.close();
});
