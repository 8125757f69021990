import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { createClient, type ClientOptions } from '../../src/client/create.ts';
import type { Client } from '../../src/client/client.ts';
import { systemProcesses } from '../../src/engine/state/processes.ts';
import { openStateDirectory } from '../../src/engine/state/directory.ts';
import type { StateStore } from '../../src/engine/state/store.ts';
import type { JournalEntry } from '../../src/emulator/http/journal.ts';
import type { Seed } from '../../src/emulator/account/seed.ts';
import { startEmulator, type Emulator, type ServerOptions } from '../../src/emulator/http/server.ts';
import { virtualClock, type VirtualClock } from './clock.ts';
import { temporaryDirectory } from './directory.ts';

export const API_KEY = 'sk_test_0123456789';
export const EMAIL = 'owner@account.example';

/** One emulated account over real HTTP, with a state directory and a clock that both sides share. */
export interface TestAccount {
  readonly emulator: Emulator;
  readonly clock: VirtualClock;
  readonly stateDirectory: string;
  /** Opens a client with its own connection and budgets, like a new process. */
  client(options?: Partial<ClientOptions>): Client;
  state(): StateStore;
  /** Requests since the start or the last `forget`. */
  requests(): readonly JournalEntry[];
  writes(): readonly JournalEntry[];
  forget(): void;
}

export type TestAccountOptions = Partial<Omit<ServerOptions, 'state' | 'now' | 'sleep'>> & {
  readonly version?: 'v4' | 'v3';
};

/** Opens one account. Everything is closed and deleted after the test. */
export async function testAccount(seed: Seed = {}, options: TestAccountOptions = {}): Promise<TestAccount> {
  const clock = virtualClock();
  const { version = 'v4', ...server } = options;
  const emulator = await startEmulator({
    apiKey: API_KEY,
    plan: 'paid',
    randomId: randomUUID,
    journalSize: 100_000,
    ...server,
    state: seed,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
  });
  onTestFinished(() => emulator.close());
  const stateDirectory = await temporaryDirectory();
  const requests = (): readonly JournalEntry[] => emulator.journal.entries();
  return {
    emulator,
    clock,
    stateDirectory,
    client(overrides = {}) {
      const client = createClient({
        url: emulator.urls[version],
        version,
        key: API_KEY,
        mode: 'read-write',
        clock,
        random: () => 0.5,
        ...overrides,
      });
      onTestFinished(() => client.close());
      return client;
    },
    state: () =>
      openStateDirectory({
        directory: stateDirectory,
        account: EMAIL,
        apiUrl: emulator.urls[version],
        fs,
        clock,
        processes: systemProcesses(fs, 'test'),
      }),
    requests,
    writes: () => requests().filter((request) => request.method !== 'GET'),
    forget: () => emulator.journal.clear(),
  };
}
