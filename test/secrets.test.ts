import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deliverMessage } from '../src/emulator/delivery/delivery.ts';
import type { Fault } from '../src/emulator/faults/faults.ts';
import { commandScene, type CommandScene } from './cli/support/scene.ts';
import { ENV, findings, MANIFEST, PLANTED, SECRET_FILE, SEED } from './secrets/support/planted.ts';
import { ENCODINGS, filesBelow, type Found } from './support/search.ts';
import { everyNth } from './support/share.ts';

interface Search {
  readonly scene: CommandScene;
  /** Runs a command and remembers all that it printed. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<number>;
  /** Places in which a planted value was found. */
  readonly findings: () => Promise<readonly string[]>;
}

async function open(version: 'v4' | 'v3'): Promise<Search> {
  const scene = await commandScene({
    version,
    seed: SEED,
    manifest: MANIFEST,
    server: { apiKey: PLANTED.key },
  });
  await writeFile(join(scene.directory, SECRET_FILE), `${PLANTED.fromFile}\n`);
  const printed: Found[] = [];
  return {
    scene,
    async run(args, env = {}) {
      const { code, stdout, stderr } = await scene.run(args, { env: { ...ENV, ...env } });
      printed.push({ where: `standard output of ${args.join(' ')}`, text: stdout });
      printed.push({ where: `standard error of ${args.join(' ')}`, text: stderr });
      return code;
    },
    async findings() {
      const files = await filesBelow(scene.directory, [SECRET_FILE]);
      return findings([...printed, ...files]);
    },
  };
}

/** The manifests that undo the runs so far. */
async function snapshotsOf({ directory }: CommandScene): Promise<readonly string[]> {
  const files = await filesBelow(join(directory, 'state'), []);
  const paths = files.map(({ where }) => where).filter((path) => path.includes('/snapshots/'));
  expect(paths.length).toBeGreaterThan(1);
  return paths;
}

/** A service that repeats what it was sent. */
function echo(code: number, match: Fault['match'], value: string): Fault {
  const message = `refused: ${value}`;
  const body = { message, errors: { password: [message, value] } };
  return { match: { times: 'always', ...match }, do: { kind: 'status', code, body } };
}

/** One that repeats the body of a request, this one's or another's, as a parser does that cannot read it. */
function echoOfBody(match: Fault['match'], body: object): Fault {
  const text = JSON.stringify({ username: 'carol', ...body });
  const html = text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const said = [text, encodeURIComponent(text), html, Buffer.from(text).toString('base64')];
  const answer = { message: `Cannot read ${text}`, errors: { body: said } };
  return { match: { times: 'always', ...match }, do: { kind: 'status', code: 400, body: answer } };
}

const CREDENTIALS = { method: 'POST', endpoint: '/domains/:domain/credentials' };
const ALIASES = { method: 'POST', endpoint: '/domains/:domain/aliases/batch' };

describe('no planted value is in any output, file or log', () => {
  test.each(everyNth(2, ['v4', 'v3']))(
    'from a run of all commands, through %s',
    { timeout: 60_000 },
    async (version) => {
      const { scene, run, findings } = await open(version);
      const { store } = scene.emulator;
      expect(await run(['validate'])).toBe(0);
      for (const format of everyNth(3, ['text', 'json', 'markdown', 'github'])) {
        expect(await run(['plan', '--format', format])).toBe(0);
      }
      expect(await run(['plan', '--out', 'plan.json'])).toBe(0);
      expect(await run(['show', 'plan.json'])).toBe(0);
      expect(await run(['apply', '--yes', '--log-level', 'trace'])).toBe(0);
      expect(store.dump().domains[0]?.credentials.map(({ password }) => password)).toEqual([
        PLANTED.password,
        PLANTED.fromFile,
      ]);
      expect(await run(['apply', '--yes', '--format', 'json'], { CAROL: PLANTED.changed })).toBe(0);
      expect(await run(['apply', '--yes', '--rotate', 'dan@acme.example'])).toBe(0);
      expect(await run(['run', '--once', '--log-level', 'trace'])).toBe(0);
      deliverMessage(store.state, { to: 'vip@acme.example', from: PLANTED.destination, subject: 'hello' });
      deliverMessage(store.state, { to: 'sales@acme.example', from: 'x@corp.example', outcome: 'BOUNCED' });
      for (const format of everyNth(2, ['text', 'json'])) {
        expect(await run(['logs', 'acme.example', '--format', format])).toBe(0);
        expect(await run(['route', 'sales@acme.example', '--format', format])).toBe(0);
        expect(await run(['route', 'vip@acme.example', '--live', '--format', format])).toBe(0);
        expect(await run(['verify', '--format', format])).toBe(2);
        expect(await run(['account', '--format', format])).toBe(0);
        for (const destination of [PLANTED.destination, 'boss@corp.example', '*@secret-corp.example']) {
          expect(await run(['who', destination, '--format', format])).toBe(0);
          expect(await run(['who', destination, '--live', '--format', format])).toBe(0);
        }
        for (const name of ['sales', 'info', 'vip', 'nobody']) {
          expect(await run(['why', `${name}@acme.example`, '--format', format])).toBe(2);
        }
        const [from, to] = [PLANTED.destination, 'new@corp.example'];
        expect(await run(['replace', from, to, '--format', format])).toBe(0);
        expect(await run(['replace', '--remove', from, '--format', format])).toBe(0);
        expect(await run(['replace', 'ana@corp.example', from, '--dry-run', '--format', format])).toBe(0);
        expect(await run(['replace', from, from.toUpperCase(), '--format', format])).toBe(64);
      }
      expect(await run(['export'])).toBe(0);
      expect(await run(['export', '--out-dir', 'exported'])).toBe(0);
      expect(await run(['export', '--update', 'fwdsync.yaml'])).toBe(0);
      for (const snapshot of await snapshotsOf(scene)) {
        for (const format of everyNth(2, ['text', 'json'])) {
          expect([0, 4]).toContain(await run(['plan', '-f', snapshot, '--format', format]));
        }
      }
      expect(await findings()).toEqual([]);
    },
  );

  test.each(everyNth(2, ['v3', 'v4']))(
    'from failing commands, through %s',
    { timeout: 60_000 },
    async (version) => {
      const { scene, run, findings } = await open(version);
      const { faults } = scene.emulator;
      // Only for one credential: a service cannot repeat a password that was not sent yet.
      await scene.manifest(MANIFEST.replace(/ +dan: .*\n/, ''));
      const fail = async (
        scripted: readonly Fault[],
        code: number,
        args: readonly string[],
        env = {},
      ): Promise<void> => {
        faults.clear();
        for (const fault of scripted) faults.push(fault);
        expect([args, await run(args, env)]).toEqual([args, code]);
      };
      const apply = ['apply', '--yes'];
      const basic = Buffer.from(`api:${PLANTED.key}`).toString('base64');
      await fail([echo(401, { method: 'GET' }, PLANTED.key)], 1, ['plan']);
      await fail([echo(403, { method: 'GET' }, `Authorization: Basic ${basic}`)], 1, [
        'logs',
        'acme.example',
      ]);
      await fail([], 1, ['account'], { FWDSYNC_API_KEY: `${PLANTED.key}x` });
      await fail([], 1, ['account'], { FWDSYNC_API_KEY: `${PLANTED.key}\nx` });
      await fail([], 1, ['plan'], { FWDSYNC_API_URL: `http://127.0.0.1:1/${version}` });
      await fail([], 64, ['plan'], { FWDSYNC_API_URL: 'http://api.example/v4' });
      await fail([], 5, ['plan'], { BOSS: `${PLANTED.destination} ${PLANTED.destination}` });
      for (const code of [400, 500]) {
        const repeated = [
          echo(code, CREDENTIALS, PLANTED.password),
          echo(code, ALIASES, PLANTED.destination.toUpperCase()),
        ];
        // The first run writes what the service takes; the second writes nothing.
        await fail(repeated, code === 400 ? 3 : 1, apply);
      }
      for (const body of [{ password: PLANTED.password }, { forward: PLANTED.destination }]) {
        await fail([echoOfBody(CREDENTIALS, body), echoOfBody(ALIASES, body)], 1, apply);
      }
      // Only the credential is still to be written.
      await fail([], 5, apply, { CAROL: PLANTED.short });
      await fail([], 64, ['plan'], { FWDSYNC_ACCOUNT: 'other@account.example' });
      await fail([], 0, ['plan', '--out', 'plan.json']);
      await scene.manifest(MANIFEST.replace('sales: boss', 'sales: [boss, ana@corp.example]'));
      await fail([], 6, ['apply', 'plan.json', '--yes']);
      expect(await findings()).toEqual([]);
    },
  );
});

test('the search finds each value in each encoding', () => {
  for (const [name, value] of Object.entries(PLANTED)) {
    for (const [encoding, encode] of Object.entries(ENCODINGS)) {
      const found = findings([{ where: 'here', text: `<${encode(value)}>` }]);
      expect(found).toContain(`${name} (${encoding}) in here`);
    }
  }
});
