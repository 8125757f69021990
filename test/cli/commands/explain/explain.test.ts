import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readExplanations } from '../../../../src/cli/commands/explain/read-docs.ts';
import { EXIT } from '../../../../src/cli/exit.ts';
import { REASON_WORDS } from '../../../../src/core/manifest/import/reasons.ts';
import { ERROR_CODES } from '../../../../src/core/manifest/problem-codes.ts';
import { FINDING_CODES } from '../../../../src/core/model/lint/findings.ts';
import { GUARD_NAMES } from '../../../../src/core/model/plan.ts';
import move from '../../../../schemas/move.v1.schema.json' with { type: 'json' };
import schema from '../../../../schemas/explain.v1.schema.json' with { type: 'json' };
import why from '../../../../schemas/why.v1.schema.json' with { type: 'json' };
import { commandScene } from '../../support/scene.ts';
import { expectSchema } from '../../support/schema.ts';

const SOURCE = join(import.meta.dirname, '../../../../src');
const SOURCES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('emulator/'))
  .map((file) => readFileSync(join(SOURCE, file), 'utf8'))
  .join('\n');
const EXPLAINED = readExplanations();

/** Returns the codes that a pattern finds in the sources. */
function codesIn(pattern: RegExp): readonly string[] {
  return [...new Set([...SOURCES.matchAll(pattern)].map(([, code = '']) => code))];
}

describe('the docs explain', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['every error of a manifest', ['code'], ERROR_CODES],
    ['every warning and notice', ['code'], FINDING_CODES],
    ['every other problem', ['code'], codesIn(/\bcode: '([a-z-]+)'/g)],
    [
      'every warning of a command',
      ['code', 'warning'],
      codesIn(/printWarning\((?:[^;]|;(?! *\n))*?'([a-z-]+)',?\s*\);/g),
    ],
    ['every guard', ['guard'], GUARD_NAMES],
    ['every exit code', ['exit code'], Object.values(EXIT).map(String)],
    ['every reason of an import', ['reason'], Object.keys(REASON_WORDS)],
    ['every verdict of why', ['verdict'], why.properties.verdict.enum],
    ['every gate of move', ['gate'], move.properties.gates.items.properties.gate.enum],
    ['every event of the log', ['event'], codesIn(/\bevent: '([a-z]+\.[a-z.-]+)'/g)],
  ])('%s', (_, kinds, codes) => {
    const known = new Set(EXPLAINED.filter(({ kind }) => kinds.includes(kind ?? '')).map(({ code }) => code));
    expect(codes.length).toBeGreaterThan(2);
    expect(codes.filter((code) => !known.has(code))).toEqual([]);
  });
});

test('explain prints the row, what is said below the table, and the section; offline and without a key', async () => {
  const scene = await commandScene();
  const warning = await scene.run(['explain', 'anchoring'], { env: { FWDSYNC_API_KEY: '' } });
  expect(warning.code).toBe(0);
  expect(warning.stdout).toMatch(/^code anchoring {2}\(docs\/.*\n {2}severity: warning\n {2}when: /);
  expect(warning.stdout).toContain('```yaml');
  const guard = await scene.run(['explain', 'max-deletes']);
  expect(guard.stdout).toContain('allowed by: `--allow-deletes N`, with');
  expect(guard.stdout.match(/- `max-deletes` in a section/g)).toHaveLength(1);
  const limit = await scene.run(['explain', 'no-longer-managed']);
  expect(limit.stdout).toContain('see lint (docs/lint.md)');
  expect(scene.requests()).toEqual([]);
});

test('explain lists each thing that has a name, as JSON too', async () => {
  const scene = await commandScene();
  const { code, stdout } = await scene.run(['explain', '[loop]', '--format', 'json']);
  expect(code).toBe(0);
  const document = expectSchema(schema, stdout) as { explanations: { kind: string }[] };
  expect(document.explanations.map(({ kind }) => kind)).toEqual(['code', 'guard', 'reason']);
});

test.each([
  ['anchorin', '`fwdsync explain anchoring`'],
  ['max', '`fwdsync explain max-deletes`, `fwdsync explain max-reroutes`'],
  ['qqqq', 'copy the code in brackets after a problem, or the name of a guard'],
])('for an unknown code, %s, explain names similar ones', async (code, hint) => {
  const scene = await commandScene();
  expect(await scene.run(['explain', code])).toEqual({
    code: 64,
    stdout: '',
    stderr: `error: no page explains "${code}"\n  try: ${hint}\n`,
  });
});

test('completion completes codes', async () => {
  const scene = await commandScene();
  const { stdout } = await scene.run(['completion', 'words', '2', 'fwdsync', 'explain', 'max']);
  expect(stdout).toContain('max-deletes\tguard\n');
  expect(stdout).toContain('no-baseline\twarning\n');
});

test('an invalid manifest names the command for its first error', async () => {
  const scene = await commandScene({
    manifest: 'domains: { acme.example: { aliases: { info: nobody } } }\n',
  });
  const { code, stderr } = await scene.run(['plan']);
  expect(code).toBe(5);
  expect(stderr).toContain(
    'try: fix it; `fwdsync explain unknown-destination` says more; no requests were sent',
  );
});
