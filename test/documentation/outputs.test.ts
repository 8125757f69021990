import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deliver } from '../cli/support/deliver.ts';
import { commandScene, OWNER, type CommandScene } from '../cli/support/scene.ts';
import { followPage, runnable, type ConsoleCommand } from './support/console-page.ts';
import { visible } from './support/shell.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The scene that a page describes, the reader's command lines, and the page's ids that replace those of the scene. */
interface Told {
  readonly scene: CommandScene;
  readonly env?: Readonly<Record<string, string>>;
  readonly ids?: Readonly<Record<string, string>>;
}

/** Returns the first `yaml` block of a page, without its version. */
function manifestOf(page: string): string {
  const [, text = ''] = /^```yaml\n(.*?)^```$/ms.exec(read(page)) ?? [];
  return text.replace(/^(?:#.*\n)*version: 1\n/, '');
}

const aliases = (forwards: Readonly<Record<string, string>>) =>
  Object.entries(forwards).map(([alias, forward]) => ({ alias, forward }));

/** The account that the page shows: two differences, one addition, and a destination that the service refuses. */
async function readme(): Promise<Told> {
  const forwards = {
    sales: 'bob@corp.example',
    support: 'ana@corp.example,ben@corp.example,dan@corp.example',
  };
  const scene = await commandScene({
    manifest: [
      'domains:',
      '  acme.example:',
      '    aliases:',
      '      billing: [ana@corp.example, ben@corp.example]',
      '      info: ana@corp.example',
      '      sales: carol@corp.example',
      '      support: [ana@corp.example, ben@corp.example, eve@corp.example]',
      '',
    ].join('\n'),
    seed: {
      account: { email: 'ops@acme.example' },
      domains: [
        {
          domain: 'acme.example',
          aliases: aliases({ ...forwards, info: 'ana@corp.example', fax: 'fax@corp.example' }),
        },
      ],
    },
    server: {
      faults: [
        {
          match: { method: 'PUT', times: 'always' },
          do: {
            kind: 'fail-items',
            items: [{ index: 0, message: 'the address carol@corp.example is blocked' }],
          },
        },
      ],
    },
  });
  return { scene, env: { FWDSYNC_ACCOUNT: 'ops@acme.example' } };
}

async function questions(): Promise<Told> {
  const scene = await commandScene({
    manifest: manifestOf('docs/questions.md'),
    seed: {
      domains: [
        {
          domain: 'acme.example',
          aliases: aliases({
            sales: 'ben@corp.example',
            support: 'ana@corp.example,ben@corp.example,carol@corp.example',
          }),
        },
      ],
    },
  });
  const sales = { to: 'sales@acme.example' };
  deliver(scene, { ...sales, from: 'kim@partner.example', subject: 'Order 17' });
  deliver(scene, { ...sales, from: 'eve@partner.example', subject: 'Quote', outcome: 'HARD-BOUNCE' });
  return { scene, env: { CHIEF: 'boss@corp.example' } };
}

/** Two runs: one by Ann, and a day later one by a job on GitHub. */
async function history(): Promise<Told> {
  const manifest = (...lines: readonly string[]): string =>
    ['domains:', '  acme.example:', '    aliases:', ...lines.map((line) => `      ${line}`), ''].join('\n');
  const scene = await commandScene({
    manifest: manifest('sales: ana@corp.example', 'odd: carol@corp.example', 'old: { state: absent }'),
    seed: { domains: [{ domain: 'acme.example', aliases: aliases({ old: 'dan@corp.example' }) }] },
  });
  const git = (...args: readonly string[]): void => {
    const { stderr, status } = spawnSync('git', args, { cwd: scene.directory, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  };
  git('init', '--quiet');
  git('add', 'fwdsync.yaml');
  git('-c', 'user.name=Ann', '-c', 'user.email=ann@corp.example', 'commit', '--quiet', '--message', 'Begin');
  const first = await applied(scene, {});
  scene.clock.advance(24 * 3_600_000);
  await scene.manifest(manifest('sales: alma@corp.example', 'odd: { state: absent }'));
  const second = await applied(scene, {
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: 'octocat',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/mail',
    GITHUB_RUN_ID: '7',
  });
  return { scene, ids: { mfh3k2q9a0b: second, mfh2z81c4f2: first } };
}

async function applied(scene: CommandScene, env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await scene.run(['apply', '--yes'], { env });
  expect(code, stdout + stderr).toBe(0);
  return /^undo: fwdsync undo (\w+)/m.exec(stdout)?.[1] ?? 'none';
}

async function logs(): Promise<Told> {
  const scene = await commandScene({
    manifest: [
      'domains:',
      '  acme.example:',
      '    aliases:',
      '      info: [carol@corp.example, team@beta.example]',
      '      sales: carol@corp.example',
      '    rules:',
      '      - { name: invoices, regex: ".*invoice.*", scopes: [subject], forward: billing@corp.example }',
      '      - { name: old, alias: info, forward: dan@corp.example, active: false }',
      '  beta.example:',
      '    aliases: { team: ana@corp.example }',
      '',
    ].join('\n'),
    seed: { domains: [{ domain: 'acme.example', aliases: aliases({ sales: 'carol@corp.example' }) }] },
  });
  deliver(scene, { to: 'sales@acme.example', subject: 'Hello' });
  deliver(scene, { to: 'sales@acme.example', subject: 'invoice 7', outcome: 'HARD-BOUNCE' });
  return { scene };
}

async function delivery(): Promise<Told> {
  const scene = await commandScene({
    manifest: [
      'domains:',
      '  acme.example:',
      '    aliases:',
      '      sales: carol@corp.example',
      '      info: ana@corp.example',
      '',
    ].join('\n'),
    seed: {
      domains: [
        {
          domain: 'acme.example',
          aliases: aliases({ sales: 'carol@corp.example', info: 'ana@corp.example' }),
        },
      ],
    },
  });
  const sales = { to: 'sales@acme.example' };
  for (let count = 0; count < 6; count += 1) deliver(scene, { ...sales, from: 'kim@partner.example' });
  for (const from of ['kim', 'eve', 'kim', 'eve'])
    deliver(scene, { ...sales, from: `${from}@partner.example`, outcome: 'HARD-BOUNCE' });
  deliver(scene, { to: 'info@acme.example' });
  deliver(scene, { to: 'nobody@acme.example' });
  return { scene };
}

async function routes(): Promise<Told> {
  const before = { fax: 'fax@corp.example', info: 'ana@corp.example', sales: 'desk@hub.example' };
  const hub = { '*': 'bob@corp.example', desk: 'ana@corp.example,ben@corp.example,dan@corp.example' };
  const scene = await commandScene({
    manifest: [
      'domains:',
      '  acme.example:',
      '    aliases:',
      '      billing: [ana@corp.example, ben@corp.example]',
      '      fax: { state: absent }',
      '      hello: ana@corp.example',
      '      info: { state: absent }',
      '      sales: desk@hub.example',
      '  hub.example:',
      '    aliases:',
      '      "*": carol@corp.example',
      '      desk: [ana@corp.example, ben@corp.example, eve@corp.example]',
      '',
    ].join('\n'),
    seed: {
      domains: [
        { domain: 'acme.example', aliases: aliases(before) },
        { domain: 'hub.example', aliases: aliases(hub) },
      ],
    },
  });
  for (const to of ['sales@acme', 'sales@acme', 'fax@acme', 'other@hub'])
    deliver(scene, { to: `${to}.example` });
  return { scene };
}

const PAGES: Readonly<Record<string, () => Promise<Told>>> = {
  'README.md': readme,
  'docs/delivery.md': delivery,
  'docs/history.md': history,
  'docs/logs.md': logs,
  'docs/questions.md': questions,
  'docs/routes.md': routes,
};

test.each(Object.entries(PAGES))(
  '%s shows what its commands print; `npm run docs` writes it again',
  async (page, open) => {
    const { scene, env = {}, ids = {} } = await open();
    const here = (text: string): string =>
      Object.entries(ids).reduce((line, [shown, id]) => line.replaceAll(shown, id), text);
    const onPage = (text: string): string =>
      Object.entries(ids)
        .reduce((line, [shown, id]) => line.replaceAll(id, shown), text)
        .replaceAll(join(scene.directory, 'state'), '~/.local/state/fwdsync')
        .replaceAll(OWNER, 'ops@acme.example')
        .replaceAll(` on ${hostname()}`, ' on laptop')
        .replaceAll(new RegExp(`(?<=  )${userInfo().username}(?= )`, 'g'), 'ann')
        .replaceAll(/127\.0\.0\.1[:-]\d+/g, 'api.improvmx.com');
    const run = async ({ command }: ConsoleCommand): Promise<string> => {
      let screen = '';
      const onOutput = (text: string): void => void (screen += text);
      const [, ...args] = here(command).split(' ');
      await scene.run(args, { env, stdin: 'yes\n', seat: 'terminal', onOutput, onError: onOutput });
      return onPage(visible(screen));
    };
    await expect(await followPage(read(page), { run })).toMatchFileSnapshot(`../../${page}`);
  },
);

test('every page with a console block is followed', () => {
  const pages = readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`);
  const shown = ['README.md', ...pages].filter((page) => page.endsWith('.md') && runnable(read(page)));
  const followed = [...Object.keys(PAGES), 'docs/tutorial.md'];
  expect(shown.toSorted()).toEqual(followed.toSorted());
});
