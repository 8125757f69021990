import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { openScene, type Scene } from './scene.ts';
import { readsOf } from './sweeps.ts';
import type { WorkerProcess } from '../../../service/fleet/support/worker-process.ts';

const ACCOUNTS = 2_000;
const WORKERS = 4;

export interface RunningScene extends Scene {
  workers: readonly WorkerProcess[];
}

/** Opens a scene for the tests of one `describe`. All accounts are published, and workers have read each of them once. */
export function useScene(args: readonly string[]): () => RunningScene {
  let opened: RunningScene | undefined;
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fwdsync-fleet-'));
    const scene = await openScene(directory, ACCOUNTS);
    opened = { ...scene, workers: [] };
    await scene.publish([], 0);
    opened.workers = await scene.startWorkers(WORKERS, args);
    const isRead = (): boolean => scene.accounts.every((account) => readsOf(account).length > 0);
    await vi.waitUntil(isRead, { timeout: 300_000, interval: 100 });
  }, 360_000);
  afterAll(async () => {
    await opened?.close();
    await rm(directory, { recursive: true, force: true });
  });
  return () => {
    if (opened === undefined) throw new Error('there is no scene');
    return opened;
  };
}
