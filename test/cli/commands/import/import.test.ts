import { mkdir, readFile, symlink, writeFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import schema from '../../../../schemas/import.v1.schema.json' with { type: 'json' };
import { LEFT_OUT_REASONS } from '../../../../src/core/manifest/import/forwards.ts';
import { expectSchema } from '../../support/schema.ts';
import { commandScene, type CommandScene, type Output } from '../../support/scene.ts';

interface Place {
  readonly scene: CommandScene;
  readonly run: (...args: readonly string[]) => Promise<Output>;
  readonly read: (file: string) => Promise<string>;
}

/** A directory with files, and a function that runs commands in it. */
async function openPlace(files: Readonly<Record<string, string | Uint8Array>>): Promise<Place> {
  const scene = await commandScene();
  for (const [name, content] of Object.entries(files)) await writeFile(join(scene.directory, name), content);
  return {
    scene,
    run: (...args) => scene.run(['import', ...args]),
    read: (file) => readFile(join(scene.directory, file), 'utf8'),
  };
}

const VIRTUAL = 'info@acme.example ana@corp.example\nbox@acme.example jane@acme.example\n';

describe('the manifest', () => {
  test('goes to standard output, and what is left out to standard error', async () => {
    const { run } = await openPlace({ virtual: VIRTUAL });
    const { code, stdout, stderr } = await run('postfix:virtual');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^# yaml-language-server: \$schema=file:.*\/manifest\.v1\.schema\.json\n/);
    expect(stdout).toContain('      info: ana@corp.example\n');
    expect(stdout).toContain('      # box@acme.example is left out');
    expect(stderr).toContain(
      'virtual:2:1: warning: box@acme.example is left out: its mail goes to a mailbox',
    );
    expect(stderr).toContain('1 left out; imported 1 domain, 1 alias, 0 rules\n');
  });

  test('sends nothing and needs no key', async () => {
    const { scene } = await openPlace({ virtual: VIRTUAL });
    await scene.run(['import', 'postfix:virtual'], {
      env: { FWDSYNC_API_KEY: '', FWDSYNC_API_URL: 'http://127.0.0.1:1' },
    });
    expect(scene.requests()).toEqual([]);
  });

  test('ends with 0 when nothing is left out, and says what is next', async () => {
    const { run, scene } = await openPlace({ virtual: 'info@acme.example ana@corp.example\n' });
    const { code, stdout, stderr } = await run('postfix:virtual', '--out', 'fwdsync.yaml');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const path = join(scene.directory, 'fwdsync.yaml');
    expect(stderr).toContain(
      `wrote fwdsync.yaml: 1 domain, 1 alias, 0 rules\nnext: fwdsync validate -f ${path}\n`,
    );
    expect((await scene.run(['validate'])).code).toBe(0);
  });

  test('is not replaced without --force', async () => {
    const { run, read } = await openPlace({ virtual: VIRTUAL, 'fwdsync.yaml': 'mine' });
    const { code, stderr } = await run('postfix:virtual', '--out', 'fwdsync.yaml');
    expect(code).toBe(64);
    expect(stderr).toContain('fwdsync.yaml exists: nothing was written');
    expect(await read('fwdsync.yaml')).toBe('mine');
    expect((await run('postfix:virtual', '--out', 'fwdsync.yaml', '--force')).code).toBe(3);
  });

  test('is one file per domain in a directory, with what they share in one more', async () => {
    const people = 'ana@corp.example, ben@corp.example';
    const text = ['a@acme.example', 'b@acme.example', 'c@beta.example']
      .map((key) => `${key} ${people}\n`)
      .join('');
    const { run, read, scene } = await openPlace({ virtual: text });
    expect((await run('postfix:virtual', '--out-dir', 'all', '--groups')).code).toBe(0);
    expect((await readdir(join(scene.directory, 'all'))).sort()).toEqual([
      'acme.example.yaml',
      'beta.example.yaml',
      'shared.yaml',
    ]);
    expect(await read('all/shared.yaml')).toContain(
      'destinations:\n  a: [ana@corp.example, ben@corp.example]\n',
    );
    expect(await read('all/beta.example.yaml')).toContain('      c: a\n');
    const valid = await scene.run(['validate', '-f', 'all']);
    expect(valid.stdout).toContain('valid: 2 domains, 3 aliases');
    expect((await run('postfix:virtual', '--out-dir', 'all')).code).toBe(64);
  });

  test('holds only the domains that are asked for', async () => {
    const { run } = await openPlace({
      virtual: 'a@acme.example x@corp.example\nb@beta.example @acme.example\n',
    });
    const { code, stdout } = await run('postfix:virtual', '--domain', 'beta.example');
    expect(code).toBe(3);
    expect(stdout).not.toContain('acme.example:\n');
    const missing = await run('postfix:virtual', '--domain', 'acne.example');
    expect(missing.code).toBe(64);
    expect(missing.stderr).toContain('did you mean "acme.example"');
  });

  test('says first how many addresses go elsewhere now', async () => {
    const { run } = await openPlace({
      virtual: 'own@acme.example own@acme.example\n@acme.example rest@corp.example\n',
    });
    const { stderr } = await run('postfix:virtual');
    expect(stderr).toContain(
      'own@acme.example is left out: its mail goes to a mailbox of the old system; its mail now goes to rest@',
    );
    expect(stderr).toMatch(/^1 address now goes elsewhere; 1 left out; imported/m);
  });
});

describe('a document', () => {
  test('says what was written and left out', async () => {
    const { run } = await openPlace({ virtual: VIRTUAL });
    const { code, stdout } = await run('postfix:virtual', '--out', 'x.yaml', '--format', 'json');
    expect(code).toBe(3);
    expect(expectSchema(schema, stdout)).toEqual({
      kind: 'fwdsync/import@1',
      domains: 1,
      aliases: 1,
      rules: 0,
      leftOut: [
        {
          source: { file: 'virtual', line: 2, column: 1 },
          address: 'box@acme.example',
          reason: 'mailbox',
          text: 'box@acme.example jane@acme.example',
          fallsTo: null,
        },
      ],
      notes: ['labels such as +news are not added to destinations; Postfix adds them by default'],
      files: ['x.yaml'],
    });
  });

  test('has a reason for each that docs/import.md explains', async () => {
    expect(schema.$defs.leftOut.properties.reason.enum).toEqual([...LEFT_OUT_REASONS]);
    const page = await readFile(join(import.meta.dirname, '../../../../docs/import.md'), 'utf8');
    const explained = [...page.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, reason]) => reason);
    expect(explained).toEqual([...LEFT_OUT_REASONS]);
  });

  test('for a broken file lists the problem', async () => {
    const { run } = await openPlace({ 'rules.json': '[{]' });
    const { code, stdout } = await run('cloudflare:rules.json', '--out', 'x.yaml', '--format', 'json');
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'fwdsync/problems@1',
      problems: [
        { severity: 'error', code: 'broken-source', source: { file: 'rules.json', line: 1, column: 3 } },
      ],
    });
  });
});

describe('several files', () => {
  test('are asked in their order', async () => {
    const { run } = await openPlace({
      one: 'info@acme.example ana@corp.example\n',
      two: 'info@acme.example ben@corp.example\nsales@acme.example ben@corp.example\n',
    });
    const { stdout } = await run('postfix:one', 'postfix:two');
    expect(stdout).toContain('      info: ana@corp.example\n      sales: ben@corp.example\n');
    expect((await run('postfix:two', 'postfix:one')).stdout).toContain('      info: ben@corp.example\n');
  });

  test('can be of several formats, and one of them standard input', async () => {
    const { scene } = await openPlace({ virtual: 'info@acme.example root@acme.example\n' });
    const { stdout } = await scene.run(['import', 'postfix:virtual', 'aliases:-', '--for', 'acme.example'], {
      stdin: 'root: ops@corp.example\n',
    });
    expect(stdout).toContain('      info: ops@corp.example\n      root: ops@corp.example\n');
    expect((await scene.run(['import', 'postfix:-', 'aliases:-'])).code).toBe(64);
  });

  test('include lists that stand beside them, and nothing else', async () => {
    const { run, scene } = await openPlace({
      aliases: 'team: :include:/etc/mail/team\nfar: :include:link\nup: :include:../team\n',
    });
    await writeFile(join(scene.directory, 'team'), 'ana@corp.example\nben@corp.example\n');
    await symlink('/etc/passwd', join(scene.directory, 'link'));
    const { stdout, stderr } = await run('aliases:aliases', '--for', 'acme.example');
    expect(stdout).toContain('      team: [ana@corp.example, ben@corp.example]\n');
    expect(stderr).toContain('aliases:2:1: warning: far@acme.example is left out: the list');
    expect(stdout + stderr).not.toContain('root:');
  });
});

describe('refuses', () => {
  test.each([
    [['postfx:virtual'], 64, 'did you mean "postfix"'],
    [['virtual'], 64, 'is not FORMAT:FILE'],
    [[], 64, 'missing required argument'],
    [['aliases:virtual'], 64, 'have no domain'],
    [['postfix:names'], 64, 'names:1:1: this name has no domain'],
    [['postfix:virtual', '--for', 'no domain'], 64, '--for'],
    [['postfix:virtual', '--out', 'a', '--out-dir', 'b'], 64, 'cannot be used together'],
    [['postfix:virtual', '--format', 'json'], 64, 'needs --out or --out-dir'],
    [['postfix:virtual', '--force'], 64, '--force has no effect'],
    [['postfix:virtual', '--address', 'x'], 64, 'needed together'],
    [['postfix:virtual', '--delimiter', 'ab'], 64, 'one character'],
    [['postfix:virtual', '--mask'], 64, 'unknown option'],
    [['table:two.csv'], 64, 'the table fits'],
    [['postfix:missing'], 1, 'missing does not exist'],
    [['postfix:.'], 1, 'is not a regular file'],
    [['postfix:binary'], 1, 'binary is not a text'],
    [['postfix:latin1'], 1, 'iconv -f LATIN1 -t UTF-8 latin1'],
    [['postfix:utf16'], 1, 'iconv -f UTF-16'],
    [['table:broken.csv'], 5, 'broken.csv:2:1: error: this is not valid CSV'],
    [['cloudflare:virtual'], 5, 'virtual:1:1: error: this is not valid JSON'],
  ])('%j with %i', async (args, code, words) => {
    const { run } = await openPlace({
      virtual: VIRTUAL,
      names: 'info ana@corp.example\n',
      'two.csv': 'email,forwardTo,from,to\n',
      'broken.csv': 'email,forwardTo\n"a@acme.example,b@corp.example\n',
      binary: new Uint8Array([1, 0, 2, 0]),
      latin1: Buffer.from('b\xfcro@acme.example ana@corp.example\n', 'latin1'),
      utf16: Buffer.from('\ufeffinfo@acme.example', 'utf16le'),
    });
    const ended = await run(...args);
    expect(ended.stderr).toContain(words);
    expect(ended.code).toBe(code);
    expect(ended.stdout).toBe('');
  });

  test('a file of 200 MB before it reads it', async () => {
    const { run, scene } = await openPlace({});
    const { open } = await import('node:fs/promises');
    const file = await open(join(scene.directory, 'huge'), 'w');
    await file.truncate(200_000_000);
    await file.close();
    const { code, stderr } = await run('postfix:huge');
    expect(code).toBe(1);
    expect(stderr).toContain('huge is larger than 64 MiB');
  });

  test('a mask', async () => {
    const { scene } = await openPlace({ virtual: VIRTUAL });
    const { code } = await scene.run(['import', 'postfix:virtual'], { env: { FWDSYNC_MASK: '1' } });
    expect(code).toBe(64);
  });
});

describe('texts', () => {
  test('may have a byte order mark and line ends of Windows', async () => {
    const { run } = await openPlace({
      virtual: '\ufeffinfo@acme.example ana@corp.example,\r\n ben@corp.example\r\n',
    });
    const { code, stdout } = await run('postfix:virtual');
    expect(code).toBe(0);
    expect(stdout).toContain('      info: [ana@corp.example, ben@corp.example]\n');
  });

  test('never break out of a comment or the terminal, and never show what may be a password', async () => {
    const hostile = [
      'a@acme.example\u001b[31m x@acme.example',
      'b@acme.example x\u2028domains:@acme.example',
      'c@acme.example "|/bin/mail --password hunter2"',
      'd@acme.example https://user:hunter2@hooks.corp.example/hunter2?k=hunter2',
      'e@acme.example ::error::x@acme.example',
      `f@acme.example ${'y'.repeat(5000)}@acme.example`,
    ];
    const { run, read, scene } = await openPlace({ virtual: `${hostile.join('\n')}\n` });
    const { stderr } = await run('postfix:virtual', '--out', 'fwdsync.yaml');
    const text = await read('fwdsync.yaml');
    expect(`${text}${stderr}`).not.toMatch(/hunter2|\u001b|\u2028|(?:^|\s)::/);
    expect(text.split('\n').every((line) => line.length < 600)).toBe(true);
    expect((await scene.run(['validate'])).code).toBe(0);
  });

  test('with names in a directory that looks like an option are files', async () => {
    const { run, scene } = await openPlace({});
    await mkdir(join(scene.directory, '--out'));
    await writeFile(join(scene.directory, '--out/virtual'), VIRTUAL);
    expect((await run('postfix:--out/virtual')).code).toBe(3);
  });
});
