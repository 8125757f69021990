import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Clock } from '../../../core/model/clock.ts';
import { startEmulator, type Emulator } from '../../../emulator/http/server.ts';
import type { Context } from '../../context.ts';
import type { Execute } from '../../command.ts';
import { EXIT, commandFailure } from '../../exit.ts';
import { drift, SEED } from './demo-account.ts';
import { copyExample } from './demo-manifest.ts';

const KEY = 'demo-key';

/** Stage of the demo: an emulator, a copy of the manifest, and a process to run commands in. */
export interface Stage {
  readonly context: Context;
  readonly emulator: Emulator;
  readonly manifestDirectory: string;
  /** Events before the demo starts, for people. */
  readonly history: readonly string[];
  close(): Promise<void>;
}

/** Opens an account that was once in step with the manifest and was then changed in the dashboard. */
export async function openStage(context: Context, execute: Execute): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'fwdsync-demo-'));
  const clock = skippingClock(context.clock);
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    state: SEED,
    switches: { ownDomainForward: 'refuse' },
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: () => randomUUID(),
  });
  const close = async (): Promise<void> => {
    await emulator.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const own = stageContext(context, { clock, directory, emulator });
    const manifestDirectory = join(directory, 'acme');
    const history = await rehearse(own, { manifest: manifestDirectory, url: emulator.urls.v4, execute });
    return { context: own, emulator, manifestDirectory, history, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes the earlier run silently, before `acme-2019.example` was given up, and then the changes by hand. */
async function rehearse(
  context: Context,
  { manifest, url, execute }: { manifest: string; url: string; execute: Execute },
): Promise<readonly string[]> {
  await copyExample(manifest);
  const retired = join(manifest, 'retired.yaml');
  const aside = join(context.cwd, 'retired.aside');
  await rename(retired, aside);
  const errors: string[] = [];
  const silent = { ...context, stdout: collect([]), stderr: collect(errors) };
  const code = await execute(silent, ['apply', '-f', 'acme', '--yes']);
  if (code !== EXIT.done) {
    throw commandFailure(`the demo cannot start: ${errors.join('')}`, 'report this as a bug');
  }
  await rename(aside, retired);
  return drift(context, url, KEY);
}

function stageContext(
  context: Context,
  { clock, directory, emulator }: { clock: Clock; directory: string; emulator: Emulator },
): Context {
  const { NO_COLOR, FORCE_COLOR, TERM } = context.env;
  return {
    ...context,
    clock,
    cwd: directory,
    env: {
      NO_COLOR,
      FORCE_COLOR,
      TERM,
      FWDSYNC_API_URL: emulator.urls.v4,
      FWDSYNC_STATE_DIR: join(directory, 'state'),
      ACME_API_KEY: KEY,
      // Variables for commands that ask only the account.
      FWDSYNC_API_KEY: KEY,
      BOSS_ADDRESS: 'bertha@corp.example',
      CAROL_SMTP_PASSWORD: randomUUID(),
    },
  };
}

/**
 * Returns a clock whose waits, for example between two reads of the account, pass at once for client and emulator.
 */
function skippingClock(real: Clock): Clock {
  let skipped = 0;
  return {
    now: () => real.now() + skipped,
    monotonic: () => real.monotonic() + skipped,
    async sleep(milliseconds, signal) {
      const until = real.monotonic() + skipped + milliseconds;
      await real.sleep(0, signal);
      skipped = Math.max(skipped, until - real.monotonic());
    },
  };
}

function collect(chunks: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
}
