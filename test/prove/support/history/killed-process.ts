import * as fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { systemClock } from '../../../../src/cli/context.ts';
import { createClient } from '../../../../src/client/create.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import { applyManifest } from '../../../../src/engine/apply-manifest.ts';

/**
 * Applies a manifest, and kills the process at the n-th write to the history, with only a part of that write on disk. 0 means no
 * kill. Returns the outcome and the number of writes.
 */
export async function applyKilled([
  url = '',
  stateDirectory = '',
  text = '',
  nth = '0',
  share = '0',
]: readonly string[]): Promise<string> {
  let writes = 0;

  const { desired } = loadManifest([{ file: 'fwdsync.yaml', text }], {
    references: 'required',
    resolve: () => null,
    apiVersion: 'v4',
  });
  if (desired === null) throw new Error('an invalid manifest');
  const client = createClient({
    url,
    version: 'v4',
    key: 'key-of-the-killed',
    mode: 'read-write',
    clock: systemClock,
    random: Math.random,
  });
  const once = await applyManifest({
    client,
    desired,
    stateDirectory,
    fs: { ...fs, open: async (...args) => struck(await fs.open(...args), String(args[0])) },
    clock: systemClock,
    approve: () => true,
    resolvePassword: () => null,
  });
  await client.close();
  return `${once.kind === 'applied' ? once.report.outcome : JSON.stringify(once)} ${writes}`;

  function struck(file: FileHandle, path: string): FileHandle {
    if (!path.endsWith('.jsonl')) return file;
    return new Proxy(file, {
      get(target, name) {
        if (name === 'appendFile') return (data: Buffer) => append(target, data);
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  async function append(file: FileHandle, data: Buffer): Promise<void> {
    writes += 1;
    if (writes !== Number(nth)) return file.appendFile(data);
    await file.appendFile(data.subarray(0, Math.floor(data.length * Number(share))));
    process.kill(process.pid, 'SIGKILL');
  }
}

if (import.meta.main) process.stdout.write(await applyKilled(process.argv.slice(2)));
