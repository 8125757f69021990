import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { validateXML } from 'xmllint-wasm';
import { describe, expect, test } from 'vitest';
import sarifSchema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' };
import problemsSchema from '../../../schemas/problems.v1.schema.json' with { type: 'json' };
import type { ChangeDocument, PlanDocument } from '../../../src/core/plan/document/document.ts';
import { markdownText } from '../../../src/core/plan/render/markdown-text.ts';
import { renderPlanMarkdown } from '../../../src/core/plan/render/markdown.ts';
import { workflowCommand } from '../../../src/core/plan/render/workflow-command.ts';
import { commandScene, type CommandScene } from '../support/scene.ts';

const SEED = {
  domains: [
    {
      domain: 'acme.example',
      aliases: [
        { alias: 'sales', forward: 'bob@corp.example' },
        ...'abcdefgh'.split('').map((alias) => ({ alias, forward: 'dan@corp.example' })),
      ],
    },
  ],
};
const MANIFEST = `domains:
  acme.example:
    prune: { aliases: true }
    aliases:
      sales: carol@corp.example
      a: dan@corp.example
    rules:
      - { name: "tricky | \`name\` </details>", expression: 'subject.contains("::error::x, % @all")', forward: a@b.example }
  new.example:
    aliases: { info: ana@corp.example }
`;
const FLAWED = `domains:
  acme.example:
    aliases:
      sales: 'oncal & "<x>" ]]>'
      plain: "http://hooks.corp.example/%2C::"
    alias: {}
`;

const flawed = (): Promise<CommandScene> => commandScene({ manifest: FLAWED });

describe('plan', () => {
  test('markdown: verdict, guards and deletes first, the rest folded by domain', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const { code, stdout } = await scene.run(['plan', '--format', 'markdown']);
    expect(code).toBe(4);
    await expect(stdout.replace(/sha256:\w+/, 'sha256:…')).toMatchFileSnapshot('formats/plan.md');
  });

  test('markdown over 60,000 characters is cut, deletes last of all, and what is cut is counted', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const { stdout } = await scene.run(['plan', '--format', 'json']);
    const plan = JSON.parse(stdout) as PlanDocument;
    const [remove, add] = ['delete', 'add'].map((action) =>
      plan.changes.find((change) => change.action === action),
    );
    const many = (change: ChangeDocument | undefined, count: number): ChangeDocument[] =>
      Array.from({ length: count }, (_, index) => ({
        ...(change as ChangeDocument),
        kind: 'alias',
        domain: `d${index % 300}.example`,
        name: `name-${index}`,
      }));
    const large = { ...plan, routes: [], changes: [...many(remove, 400), ...many(add, 3000)] };
    const text = renderPlanMarkdown(large, 'first');
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(text.length).toBeGreaterThan(50_000);
    expect(text.match(/^- d\d+\.example alias/gm)?.length).toBe(400);
    const shown = text.match(/^\+ /gm)?.length ?? 0;
    expect(text).toContain(`${3000 - shown} changes`);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
    const onlyDeletes = renderPlanMarkdown({ ...plan, changes: many(remove, 5000) }, 'first');
    expect(onlyDeletes.length).toBeLessThanOrEqual(60_000);
    const deletesShown = onlyDeletes.match(/^- d\d+\.example alias/gm)?.length ?? 0;
    expect(onlyDeletes).toContain(`${5000 - deletesShown} deletes`);
  });

  test.each([
    ['a `b` c', 'a `b` c'],
    ['a` c', 'a `` a` `` c'.replace('a ', '')],
    [
      'write `state: absent`, or `{ env: X }` (`a | b`).',
      'write `state: absent`, or `{ env: X }` (`a \\| b`).',
    ],
    ['x`a b`', '``x`a`` `` b` ``'],
    [
      'mail @all or #7 at https://x.example/a|b <b>',
      'mail `@all` or `#7` at `https://x.example/a\\|b` `<b>`',
    ],
    ['a\nb\u202e', '`a<U+000A>b<U+202E>`'],
    ['--allow-deletes 4, then', '`--allow-deletes` 4, then'],
  ])('markdown means what %j says', (text, markdown) => {
    expect(markdownText(text)).toBe(markdown);
  });

  test('github: no message ends its command or begins another', () => {
    const source = { file: 'a,b:c.yaml', line: 1, column: 2 };
    const message = '100 %\n::error::forged\r%0A';
    expect(workflowCommand({ level: 'error', title: 'x,y:z', message, source })).toBe(
      '::error file=a%2Cb%3Ac.yaml,line=1,col=2,title=x%2Cy%3Az::100 %25<U+000A>::error::forged<U+000D>%250A\n',
    );
  });

  test('github: errors, warnings and counts as workflow commands, and the summary of the step', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    const summary = join(scene.directory, 'summary.md');
    const env = { GITHUB_STEP_SUMMARY: summary };
    await writeFile(summary, 'of an earlier step\n');
    const { stdout } = await scene.run(['plan', '--format', 'github'], { env });
    await expect(stdout).toMatchFileSnapshot('formats/plan.github.txt');
    const markdown = await scene.run(['plan', '--format', 'markdown']);
    expect(await readFile(summary, 'utf8')).toBe(`of an earlier step\n${markdown.stdout}`);
  });

  test('the environment names the format as well', async () => {
    const scene = await commandScene({ seed: SEED, manifest: 'domains:\n  acme.example: { aliases: {} }\n' });
    const { stdout } = await scene.run(['plan'], { env: { FWDSYNC_FORMAT: 'markdown' } });
    expect(stdout).toMatch(/^### fwdsync plan\n\n\*\*Nothing to do\.\*\*/);
  });

  test('show prints a saved plan in every format', async () => {
    const scene = await commandScene({ seed: SEED, manifest: MANIFEST });
    for (const format of ['text', 'json', 'markdown', 'github']) {
      const printed = await scene.run(['plan', '--out', 'plan.json', '--format', format]);
      expect((await scene.run(['show', 'plan.json', '--format', format])).stdout).toBe(printed.stdout);
    }
  });
});

describe('validate', () => {
  const validate = (scene: CommandScene, format: string) => scene.run(['validate', '--format', format]);

  test('every format says the same problems and exits with 5', async () => {
    const scene = await flawed();
    const { stdout } = await validate(scene, 'json');
    const { problems } = JSON.parse(stdout) as { problems: readonly { code: string }[] };
    expect(problems.length).toBeGreaterThanOrEqual(2);
    expect(new Ajv2020({ validateFormats: false }).validate(problemsSchema, JSON.parse(stdout))).toBe(true);
    for (const format of ['text', 'github', 'sarif', 'junit']) {
      const told = await validate(scene, format);
      for (const { code } of problems) expect(told.stdout + told.stderr).toContain(code);
      expect(told.code).toBe(5);
    }
  });

  test('github: one annotation a problem, at its place', async () => {
    const { stdout } = await validate(await flawed(), 'github');
    await expect(stdout).toMatchFileSnapshot('formats/problems.github.txt');
  });

  test.each([
    ['with problems', FLAWED],
    ['without', 'domains:\n  a.example: { aliases: {} }\n'],
  ])('sarif matches the schema of SARIF 2.1.0, %s', async (_, manifest) => {
    const { stdout } = await validate(await commandScene({ manifest }), 'sarif');
    const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false });
    const { $schema: __, id: ___, ...schema } = sarifSchema;
    const matches = ajv.validate(schema, JSON.parse(stdout));
    expect(matches, JSON.stringify(ajv.errors)).toBe(true);
  });

  test('sarif: places as URIs', async () => {
    const scene = await flawed();
    await writeFile(join(scene.directory, 'a #1 ü.yaml'), 'version: 1\ndomains: { a.example: { x: 1 } }\n');
    const { stdout } = await scene.run(['validate', '--format', 'sarif', '-f', 'a #1 ü.yaml']);
    const { runs } = JSON.parse(stdout) as { runs: readonly { results: readonly object[] }[] };
    expect(runs[0]?.results[0]).toMatchObject({
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'a%20%231%20%C3%BC.yaml' },
            region: { startLine: 2, startColumn: 25 },
          },
        },
      ],
    });
  });

  test.each([
    ['with problems', FLAWED],
    ['without', 'domains:\n  a.example: { aliases: {} }\n'],
  ])('junit is XML that its schema takes, %s', async (_, manifest) => {
    const { stdout } = await validate(await commandScene({ manifest }), 'junit');
    const schema = await readFile(join(import.meta.dirname, 'formats/junit.xsd'), 'utf8');
    const { valid, errors } = await validateXML({ xml: stdout, schema });
    expect(errors).toEqual([]);
    expect(valid).toBe(true);
  });

  test('junit: a case a manifest, with its errors', async () => {
    const { stdout } = await validate(await flawed(), 'junit');
    await expect(stdout).toMatchFileSnapshot('formats/problems.junit.xml');
  });
});
