import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { load, measureLint } from '../../test/prove/support/linted.ts';
import { cpuSeconds } from '../../test/support/cpu.ts';
import { writeAccount } from '../account.ts';
import { build, inDirectory, measureInTurn } from '../processes.ts';
import type { Section } from '../section.ts';

const ROUNDS = 3;
const LINT_ROUNDS = 12;
const SIZES = {
  '50,000 aliases in one domain': { domains: 1, aliases: 50_000, files: 1 },
  '100,000 aliases in one file': { domains: 100, aliases: 1_000, files: 1 },
  'a million aliases in 20 files': { domains: 1_000, aliases: 1_000, files: 20 },
} as const;

/** Measures `validate` of big manifests. */
export async function measureValidate(): Promise<Section> {
  const costs = await inDirectory(async (directory) => {
    const command = build(directory);
    const cases = Object.entries(SIZES).map(([name, size], index) => {
      const own = join(directory, String(index));
      mkdirSync(own);
      return [name, { args: [command, 'validate', '-f', writeAccount(own, size).manifest] }] as const;
    });
    return measureInTurn(Object.fromEntries(cases), ROUNDS);
  });
  return {
    title: 'Big manifests',
    text: [
      '`validate` of the published program as a whole process. Time and memory are linear in the size of a file. ' +
        'Most of a large manifest is [parsed without the YAML library](decisions/0010-large-manifests.md), in a ' +
        'tenth of its time. The schema checks only the parts that it may reject.',
      'A file with anchors, block scalars or texts of several lines needs the library: 17 CPU seconds for a ' +
        "million aliases. The library's check of duplicate keys would be quadratic, so [we use our " +
        'own](decisions/0002-own-duplicate-key-check.md). A file has limits in bytes, tokens and documents. The ' +
        'worst files that we tried took at most 920 MiB and 5 CPU seconds.',
    ],
    head: ['manifest', 'seconds', 'CPU seconds', 'MiB'],
    rows: Object.entries(costs).map(([name, { seconds, cpu, memory }]) => {
      return [name, seconds.toFixed(2), cpu.toFixed(2), memory.toFixed(0)];
    }),
    figures: [{ name: 'linter / the rest of checking 50,000 aliases, CPU', value: lintShare(), atMost: 0.3 }],
  };
}

/** Number of rounds, because the CPU time of a single one is too coarse. */
function lintShare(): number {
  const lines = Array.from({ length: 50_000 }, (_, index) => `      a${index}: b${index % 100}@corp.example`);
  const text = `version: 1\ndomains:\n  acme.example:\n    prune: true\n    aliases:\n${lines.join('\n')}\n`;
  let [whole, lint] = [0, 0];
  for (let round = 0; round < LINT_ROUNDS; round += 1) {
    const started = cpuSeconds();
    const { desired } = load(text);
    whole += cpuSeconds() - started;
    if (desired === null) throw new Error('not valid');
    lint += measureLint(desired.domains);
  }
  return lint / (whole - lint);
}
