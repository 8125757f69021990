import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ApiVersion } from '../../../src/core/model/endpoints.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { executeIn } from '../../support/program.ts';
import { runHere, type HereResult } from '../../support/run-here.ts';

export const DOMAIN = 'acme.example';
const OWNER = 'ops@acme.example';

/** The planted setting or kind, and how to check it in every command. */
export interface Journey {
  /** Lines of the domain in a manifest. */
  readonly one: string;
  readonly two: string;
  /** Its section, and lines that delete it; null for a setting. */
  readonly gone: { readonly section: string; readonly lines: string } | null;
  /** The change from the one to the other. */
  readonly change: Readonly<Record<string, unknown>>;
  /** Address for `blame`. */
  readonly blamed: string;
  /** True if the list of domains that a quick plan reads shows it. */
  readonly isListed: boolean;
  /** Reads it from the account. */
  readonly live: (api: Api) => Promise<unknown>;
  /** The values of the two in the account. */
  readonly values: readonly [one: unknown, two: unknown];
  /** Changes the first value to the second, as a user does in the dashboard. */
  readonly edit: (api: Api) => Promise<unknown>;
}

/** Sends a request about the domain; resolves to the answer. */
export type Api = (method: string, path: string, body?: object) => Promise<Readonly<Record<string, unknown>>>;

/** Runs all commands of a copy of the sources on the planted field or kind, on one generation of the API. */
export async function travel(copy: string, version: ApiVersion, journey: Journey): Promise<void> {
  const directory = await temporaryDirectory();
  const origin = await startEmulator(copy, directory);
  const api = apiOf(`${origin}/${version}/domains/${DOMAIN}`);
  const execute = executeIn(join(copy, 'dist'));
  const env = {
    FWDSYNC_API_URL: `${origin}/${version}`,
    FWDSYNC_API_KEY: 'emulator',
    FWDSYNC_STATE_DIR: join(directory, 'state'),
  };
  const run = (...args: readonly string[]): Promise<HereResult> =>
    runHere(execute, args, { cwd: directory, env });
  const pass = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    expect(code, `${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  const json = async (...args: readonly string[]): Promise<Answer> =>
    JSON.parse(await run(...args, '--format', 'json').then(({ stdout }) => stdout)) as Answer;
  const write = (lines: string): Promise<void> =>
    writeFile(
      join(directory, 'fwdsync.yaml'),
      `version: 1\napi: { account: ${OWNER} }\ndomains:\n  ${DOMAIN}:\n${lines}`,
    );
  const [one, two] = journey.values;

  await write(journey.one);
  await pass('validate');
  await pass('apply', '--yes');
  expect(await journey.live(api)).toStrictEqual(one);
  expect((await json('plan')).changes).toStrictEqual([]);
  await write(journey.two);
  const planned = await json('plan');
  expect(planned.changes).toMatchObject([journey.change]);
  await pass('plan', '--out', 'saved.json');
  await pass('apply', '--yes', 'saved.json');
  expect(await journey.live(api)).toStrictEqual(two);
  await pass('verify');

  await pass('export', '--out', 'exported.yaml');
  expect(await readFile(join(directory, 'exported.yaml'), 'utf8')).toContain(journey.two.trim());
  expect((await json('plan', '-f', 'exported.yaml')).changes).toStrictEqual([]);
  const history = await json('history');
  expect(history.runs?.[0]?.items).toMatchObject([journey.change]);
  expect(JSON.stringify(await json('blame', journey.blamed))).toContain(String(history.runs?.[0]?.id));

  await pass('undo', '--yes', String(history.runs?.[0]?.id));
  expect(await journey.live(api)).toStrictEqual(one);
  await write(journey.one);
  await pass('apply', '--yes');
  expect((await json('plan')).changes).toStrictEqual([]);
  await journey.edit(api);
  const drift = [{ ...journey.change, reason: 'drift' }];
  expect((await json('plan')).changes).toMatchObject(drift);
  const quick = await json('plan', '--quick', '--drift-url', `${origin}/v3`);
  expect(quick.changes).toMatchObject(journey.isListed ? drift : []);
  await pass('apply', '--yes');
  expect(await journey.live(api)).toStrictEqual(one);
  if (journey.gone === null) return;
  await write(journey.gone.lines);
  await pass('apply', '--yes', '--allow-empty', `${DOMAIN}/${journey.gone.section}`);
  expect(await journey.live(api)).toStrictEqual([]);
}

interface Answer {
  readonly changes?: readonly unknown[];
  readonly runs?: readonly { readonly id: string; readonly items: readonly unknown[] }[];
}

async function startEmulator(copy: string, directory: string): Promise<string> {
  const seed = { account: { email: OWNER }, domains: [{ domain: DOMAIN }] };
  await writeFile(join(directory, 'account.json'), JSON.stringify(seed));
  const child = spawn(
    process.execPath,
    argumentsOf(copy, ['emulator', '--port', '0', '--state', 'account.json']),
    {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, 'close');
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
    if (origin !== undefined) return origin;
  }
  throw new Error(`the emulator ended: ${printed}`);
}

function argumentsOf(copy: string, args: readonly string[]): string[] {
  return [join(copy, 'dist/fwdsync.js'), ...args];
}

function apiOf(url: string): Api {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from('api:emulator').toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  };
}
