import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReplaceDocument } from '../../../../src/cli/commands/replace/replace-document.ts';
import { commandScene, type CommandScene, type Output } from '../../support/scene.ts';
import { openTwoAccounts } from '../../support/two-accounts.ts';

const MANIFEST = `# Who reads what.
destinations:
  oncall: [ana@corp.example, ben@corp.example] # Ben until Friday
  spare: eve@corp.example
defaults: { notification_email: 'ben@corp.example' }
domains:
  acme.example:
    aliases:
      sales: &sales
        - Ben@Corp.example
        - carol@corp.example
      offers: *sales
      chief: { env: BOSS }
      team: oncall
    rules:
      - { name: vip, expression: 'sender == "ben@corp.example"', forward: [ben@corp.example, ana@corp.example] }
`;
const BOSS = { BOSS: 'ben@corp.example' };

async function scene(manifest: string = MANIFEST): Promise<CommandScene> {
  return commandScene({ manifest });
}

function textOf({ directory }: CommandScene, file = 'fwdsync.yaml'): Promise<string> {
  return readFile(join(directory, file), 'utf8');
}

function documentOf({ stdout, stderr }: Output): ReplaceDocument {
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as ReplaceDocument;
}

const lines = (document: Pick<ReplaceDocument, 'changes'>): readonly (number | undefined)[] =>
  document.changes.map(({ source }) => source.line);

describe('in one manifest', () => {
  test('shows the diff, what is left to do by hand and the next command, and writes nothing with --dry-run', async () => {
    const here = await scene();
    const before = await textOf(here);
    const { code, stdout } = await here.run(['replace', 'ben@corp.example', 'dan@corp.example', '--dry-run']);
    expect(stdout).toBe(`--- a/fwdsync.yaml
+++ b/fwdsync.yaml
@@ -1,17 +1,17 @@
 version: 1
 # Who reads what.
 destinations:
-  oncall: [ana@corp.example, ben@corp.example] # Ben until Friday
+  oncall: [ana@corp.example, dan@corp.example] # Ben until Friday
   spare: eve@corp.example
-defaults: { notification_email: 'ben@corp.example' }
+defaults: { notification_email: 'dan@corp.example' }
 domains:
   acme.example:
     aliases:
       sales: &sales
-        - Ben@Corp.example
+        - dan@corp.example
         - carol@corp.example
       offers: *sales
       chief: { env: BOSS }
       team: oncall
     rules:
-      - { name: vip, expression: 'sender == "ben@corp.example"', forward: [ben@corp.example, ana@corp.example] }
+      - { name: vip, expression: 'sender == "ben@corp.example"', forward: [dan@corp.example, ana@corp.example] }

ben@corp.example replaced by dan@corp.example at 4 places in 1 file: nothing was written yet.
Write it: fwdsync replace ben@corp.example dan@corp.example
`);
    expect([code, await textOf(here), here.requests()]).toEqual([0, before, []]);
  });

  test('writes it; a second run changes nothing; and the way back gives the first text', async () => {
    const here = await scene(MANIFEST.replace('Ben@Corp', 'ben@corp'));
    const before = await textOf(here);
    const first = await here.run(['replace', 'ben@corp.example', 'dan@corp.example']);
    expect([first.code, first.stdout.split('\n').slice(-3)]).toEqual([
      0,
      ['ben@corp.example replaced by dan@corp.example at 4 places in 1 file.', 'Check it: fwdsync plan', ''],
    ]);
    const expected = before
      .replaceAll('ben@corp.example', 'dan@corp.example')
      .replace('"dan@corp.example"', '"ben@corp.example"');
    expect(await textOf(here)).toBe(expected);
    const second = await here.run(['replace', 'ben@corp.example', 'dan@corp.example']);
    expect([second.code, second.stdout]).toEqual([
      0,
      'No manifest contains ben@corp.example; nothing was changed.\n',
    ]);
    expect((await here.run(['replace', 'dan@corp.example', 'ben@corp.example'])).code).toBe(0);
    expect(await textOf(here)).toBe(before);
  });

  test('prints each change with its line', async () => {
    const here = await scene();
    const run = await here.run(['replace', 'ben@corp.example', 'dan@corp.example', '--format', 'json']);
    const document = documentOf(run);
    expect([run.code, lines(document), document.written]).toEqual([0, [4, 6, 11, 17], true]);
    expect(document.changes[2]).toEqual({
      source: { file: 'fwdsync.yaml', line: 11, column: 11 },
      from: 'Ben@Corp.example',
      to: 'dan@corp.example',
    });
  });

  test('keeps line ends, the byte order mark and the mode of a file', async () => {
    const here = await scene();
    const text = `\uFEFFversion: 1\r\ndomains: # all\r\n  acme.example:\r\n    aliases: {sales:   "ben@corp.example"}\r\n`;
    await writeFile(join(here.directory, 'fwdsync.yaml'), text, { mode: 0o640 });
    const { code, stdout } = await here.run(['replace', 'BEN@corp.example', 'x+y@corp.example']);
    expect([code, await textOf(here)]).toEqual([0, text.replace('ben@', 'x+y@')]);
    expect(stdout).toContain('-    aliases: {sales:   "ben@corp.example"}\r\n+    aliases:');
  });

  test('takes a destination out of lists', async () => {
    const manifest = `destinations:
  oncall: [ana@corp.example, ben@corp.example]
  all:
    - oncall
    - ben@corp.example # until Friday
    - carol@corp.example
domains: { acme.example: { aliases: { sales: all } } }
`;
    const here = await scene(manifest);
    const { code, stdout } = await here.run(['replace', '--remove', 'ben@corp.example']);
    expect(await textOf(here)).toBe(`version: 1
destinations:
  oncall: [ana@corp.example]
  all:
    - oncall
    # until Friday
    - carol@corp.example
domains: { acme.example: { aliases: { sales: all } } }
`);
    expect([code, stdout.split('\n').at(-3)]).toEqual([0, 'ben@corp.example removed at 2 places in 1 file.']);
  });

  test('removes nothing where it is the only destination anywhere, and lists these places', async () => {
    const here = await scene();
    const before = await textOf(here);
    const { code, stdout } = await here.run(['replace', '--remove', 'ben@corp.example']);
    expect(stdout).toBe(`ben@corp.example is the only destination at this place; nothing was written:
    fwdsync.yaml:6:33
Write another destination there first, or replace it: fwdsync replace OLD NEW
`);
    expect([code, await textOf(here)]).toEqual([4, before]);
    const json = await here.run(['replace', '--remove', 'ben@corp.example', '--format', 'json']);
    const document = documentOf(json);
    expect([json.code, document.to, document.written, document.changes]).toEqual([4, null, false, []]);
    expect(document.only.map(({ line, column }) => [line, column])).toEqual([[6, 33]]);
  });

  test('replaces names of groups and webhooks as well', async () => {
    const here = await scene(`destinations: { oncall: ana@corp.example, spare: eve@corp.example }
domains:
  acme.example: { aliases: { sales: oncall, x: "https://hooks.corp.example/In?a=1" } }
`);
    expect((await here.run(['replace', 'oncall', 'spare'])).code).toBe(0);
    expect(
      (await here.run(['replace', 'https://hooks.corp.example/In?a=1', 'https://new.example/'])).code,
    ).toBe(0);
    expect(await textOf(here)).toContain('{ sales: spare, x: "https://new.example/" }');
    expect(await textOf(here)).toContain('destinations: { oncall: ana@corp.example');
  });

  test('names the references that have the value, and shows or writes none', async () => {
    const here = await scene();
    for (const args of [['--dry-run', '--format', 'json'], ['--dry-run'], []]) {
      const { stdout } = await here.run(['replace', 'ben@corp.example', 'dan@corp.example', ...args], {
        env: BOSS,
      });
      expect(stdout.replace(/sender == "[^"]*"/g, '')).not.toMatch(/ben@/i);
      expect(stdout).toContain('{ env: BOSS }');
    }
    expect(await textOf(here)).toContain('chief: { env: BOSS }');
    const alone = await scene('domains: { acme.example: { aliases: { chief: { env: BOSS } } } }\n');
    const { code, stdout } = await alone.run(['replace', 'ben@corp.example', 'dan@corp.example'], {
      env: BOSS,
    });
    expect([code, stdout]).toEqual([
      0,
      `No manifest contains { env: BOSS }; nothing was changed.
{ env: BOSS } has this value (fwdsync.yaml:2:46): change it where it is set.
`,
    ]);
  });

  test('does not start from an invalid manifest, and makes none', async () => {
    const invalid = await scene('domains: { a.example: { aliases: { x: y, z: ben@corp.example } } }\n');
    const before = await textOf(invalid);
    const refused = await invalid.run(['replace', 'ben@corp.example', 'dan@corp.example']);
    expect([refused.code, refused.stderr.includes('unknown-destination')]).toEqual([5, true]);
    expect(await textOf(invalid)).toBe(before);
    const here = await scene();
    const text = await textOf(here);
    for (const [to, problem] of [
      ['https://hooks.corp.example/', 'fwdsync.yaml:6:33'],
      ['oncall', 'destination-cycle'],
    ] as const) {
      const { code, stderr, stdout } = await here.run(['replace', 'ben@corp.example', to]);
      expect([code, stdout]).toEqual([5, '']);
      expect(stderr).toContain(problem);
      expect(stderr).toContain('with this change the manifest would be invalid; nothing was written');
      expect(await textOf(here)).toBe(text);
    }
  });

  test.each([
    [['replace'], 'no destination is named'],
    [['replace', 'ben@corp.example'], 'there is no replacement for "ben@corp.example"'],
    [['replace', 'ben@corp.example', '--remove', 'ben@corp.example'], '--remove takes the only destination'],
    [['replace', 'ben@corp.example', 'BEN@corp.example'], 'old and new are the same destination'],
    [['replace', 'ben@corp.example', 'oncal'], 'did you mean "oncall"?'],
    [['replace', 'ben', 'oncall'], '"ben" is neither an address nor a webhook'],
    [['replace', 'ben@corp.example', 'dan@corp.example', '-f', '-'], 'replace cannot write to -'],
    [
      ['replace', 'ben@corp.example', 'dan@corp.example', '-f', 'store:manifest/x'],
      'replace cannot write to store:manifest/x',
    ],
  ])('64: %j', async (args, words) => {
    const here = await scene();
    const { code, stderr } = await here.run(args, { stdin: MANIFEST });
    expect([code, stderr.includes(words)], stderr).toEqual([64, true]);
  });

  test('64: a mask, which would hide what changes', async () => {
    const here = await scene();
    const args = ['replace', 'ben@corp.example', 'dan@corp.example'];
    const { code, stderr } = await here.run(args, { env: { FWDSYNC_MASK: '1' } });
    expect([code, stderr]).toMatchObject([64, expect.stringContaining('FWDSYNC_MASK cannot be used')]);
  });
});

describe('in many files', () => {
  const PART = (name: string): string =>
    `version: 1\ndomains: { ${name}.example: { aliases: { sales: ben@corp.example } } }\n`;

  test('changes those that name it, and no other', async () => {
    const here = await commandScene();
    const many = join(here.directory, 'parts');
    await mkdir(many);
    await writeFile(join(many, 'a.yaml'), PART('a'));
    await writeFile(join(many, 'b.yaml'), PART('b').replace('ben', 'other'));
    await writeFile(join(many, 'c.yaml'), PART('c'));
    const args = ['replace', 'ben@corp.example', 'dan@corp.example', '-f', 'parts'];
    const { code, stdout } = await here.run(args);
    expect(code).toBe(0);
    expect(stdout).toContain(`at 2 places in 2 files.\nCheck it: fwdsync plan -f ${many}\n`);
    expect(stdout).not.toContain('b.yaml');
    expect(await readdir(many)).toEqual(['a.yaml', 'b.yaml', 'c.yaml']);
    expect(await textOf(here, 'parts/c.yaml')).toBe(PART('c').replace('ben', 'dan'));
  });

  test('with many accounts: all or none', async () => {
    const { directory, env } = await openTwoAccounts();
    const here = await commandScene();
    const many = join(directory, 'many');
    const input = { env: { ...env, FWDSYNC_ACCOUNT: '', FWDSYNC_API_URL: '' } };
    const json = ['--accounts', many, '--format', 'json'];
    const { code, stdout } = await here.run(
      ['replace', 'carol@corp.example', 'dan@corp.example', ...json],
      input,
    );
    const { accounts } = JSON.parse(stdout) as {
      readonly accounts: readonly { readonly name: string; readonly document: ReplaceDocument }[];
    };
    expect([code, accounts.map(({ name, document }) => [name, lines(document), document.written])]).toEqual([
      0,
      [
        ['acme', [4], true],
        ['beta', [4], true],
      ],
    ]);
    const removed = await here.run(['replace', '--remove', 'dan@corp.example', '--accounts', many], input);
    expect([removed.code, removed.stdout.split('\n').length]).toEqual([4, 5]);
    const texts = await Promise.all(
      ['acme', 'beta'].map((name) => readFile(join(many, `${name}.yaml`), 'utf8')),
    );
    expect(texts.every((text) => text.includes('sales: dan@corp.example'))).toBe(true);
    await writeFile(join(many, 'beta.yaml'), 'version: 1\ndomains: { x: 1 }\n');
    const invalid = await here.run(
      ['replace', 'dan@corp.example', 'eve@corp.example', '--accounts', many],
      input,
    );
    expect([invalid.code, await readFile(join(many, 'acme.yaml'), 'utf8')]).toEqual([5, texts[0]]);
  });
});
