import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/http/server.ts';
import { temporaryDirectory } from '../../support/directory.ts';

/** Two accounts, each on its own service, and the directory `many` with their manifests; `acme` comes first by name. */
export interface TwoAccounts {
  readonly acme: Emulator;
  readonly beta: Emulator;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

const KEY = 'key-of-both-accounts';

/** Opens two accounts; the manifests add an alias `sales` to each. Everything is closed and deleted after the test. */
export async function openTwoAccounts(): Promise<TwoAccounts> {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'many'));
  const [acme, beta] = await Promise.all([openAccount(directory, 'acme'), openAccount(directory, 'beta')]);
  return { acme, beta, directory, env: { KEY, FWDSYNC_STATE_DIR: join(directory, 'state') } };
}

async function openAccount(directory: string, name: string): Promise<Emulator> {
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state: { account: { email: `owner@${name}.example` }, domains: [{ domain: `${name}.example` }] },
  });
  onTestFinished(() => emulator.close());
  const manifest = `version: 1
api: { account: owner@${name}.example, key: { env: KEY }, url: "${emulator.urls.v4}" }
domains:
  ${name}.example: { aliases: { sales: carol@corp.example } }
`;
  await writeFile(join(directory, 'many', `${name}.yaml`), manifest);
  return emulator;
}
