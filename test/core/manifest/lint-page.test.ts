import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FINDINGS, isFindingCode } from '../../../src/core/model/lint/findings.ts';
import { NO_LONGER_MANAGED } from '../../../src/core/plan/left-behind.ts';
import { wouldDelete } from '../../../src/core/plan/would-delete.ts';
import { acme, desiredOf, load } from './support/loading.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/lint.md'), 'utf8');
const SECTIONS = [...PAGE.matchAll(/^### `([a-z-]+)`\n([\s\S]*?)(?=^### |(?![\s\S]))/gm)].map(
  ([, code = '', text = '']) => ({
    code,
    text,
    examples: [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, yaml = '']) => yaml),
  }),
);

/** Findings whose names explain them, so the page has no section about them. */
const PLAIN: ReadonlySet<string> = new Set(['no-domains', 'no-final-newline']);

function codesOf(example: string): readonly string[] {
  const text = example.startsWith('version:') ? example : acme(...example.trimEnd().split('\n'));
  const { problems, desired } = load(text, { env: { BOSS_ADDRESS: 'boss@corp.example' } });
  expect(desired, JSON.stringify(problems)).not.toBeNull();
  return problems.map(({ code }) => code);
}

describe('docs/lint.md', () => {
  test('has a section for each finding of a manifest, in order', () => {
    const problems = readFileSync(join(import.meta.dirname, '../../../docs/problems.md'), 'utf8');
    const table = problems.slice(
      problems.indexOf('## In the manifest'),
      problems.indexOf('## Only the account'),
    );
    const found = [...table.matchAll(/^\| `([a-z-]+)` \| (?:warning|notice) /gm)].map(
      ([, code = '']) => code,
    );
    expect(SECTIONS.map(({ code }) => code).filter((code) => code !== NO_LONGER_MANAGED)).toEqual(
      found.filter((code) => !PLAIN.has(code)),
    );
  });

  test('no-longer-managed: two manifests after one', () => {
    const { examples = [] } = SECTIONS.find(({ code }) => code === NO_LONGER_MANAGED) ?? {};
    const [before, triggers, nearly] = examples.map((example) =>
      desiredOf(acme(...example.trimEnd().split('\n'))),
    );
    if (before === undefined || triggers === undefined || nearly === undefined)
      throw new Error('no examples');
    expect(wouldDelete(before, triggers).warnings.map(({ code }) => code)).toEqual([NO_LONGER_MANAGED]);
    expect(wouldDelete(before, nearly).warnings.map(({ code }) => code)).toEqual(['would-delete']);
  });

  test.each(SECTIONS.filter(({ code }) => code !== NO_LONGER_MANAGED))(
    '$code: an example that triggers it, and one that nearly does',
    ({ code, text, examples }) => {
      expect(isFindingCode(code) && text.trimStart().startsWith(`A ${FINDINGS[code]}.`)).toBe(true);
      const [triggers = '', nearly = '', ...more] = examples;
      expect(more).toEqual([]);
      expect(codesOf(triggers)).toContain(code);
      expect(codesOf(nearly)).not.toContain(code);
    },
  );
});
