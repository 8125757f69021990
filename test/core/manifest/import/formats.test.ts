import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOURCE_FORMATS, type SourceFormat } from '../../../../src/core/manifest/import/formats.ts';
import { importForwards, type ImportSettings } from '../../../../src/core/manifest/import/import.ts';
import {
  importedDomainText,
  comment,
  leftOutLine,
} from '../../../../src/core/manifest/import/write/manifest-text.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import { createSourceText, sourceOf } from '../../../../src/core/manifest/read/text.ts';

/** A case of a format: options, a source, and the expected manifest. */
interface FormatCase {
  readonly name: string;
  readonly options: readonly string[];
  readonly input: string;
  readonly manifest: string;
}

const CASES = join(import.meta.dirname, 'cases');

function casesOf(format: string): readonly FormatCase[] {
  const text = readFileSync(join(CASES, `${format}.txt`), 'utf8');
  return text
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [head = '', rest = ''] = part.split(/^--- input\n/m);
      const [name = '', ...options] = head.trimEnd().split('\n');
      const [input = '', manifest = ''] = rest.split(/^--- manifest\n/m);
      return { name, options, input, manifest };
    });
}

function valuesOf(options: readonly string[], name: string): readonly string[] {
  return options.flatMap((line) => {
    const words = line.split(' ');
    const at = words.indexOf(name);
    const end = words.findIndex((word, index) => index > at && word.startsWith('--'));
    return at < 0 ? [] : words.slice(at + 1, end < 0 ? undefined : end);
  });
}

function settingsOf(options: readonly string[]): ImportSettings {
  const [address] = valuesOf(options, '--address');
  const [destination] = valuesOf(options, '--destination');
  return {
    localDomains: valuesOf(options, '--for'),
    only: null,
    columns: address === undefined || destination === undefined ? null : { address, destination },
    delimiter: valuesOf(options, '--delimiter')[0] ?? '+',
    engine: valuesOf(options, '--engine')[0] === 'rules' ? 'rules' : 'aliases',
  };
}

/** Files of `--include`: the name, and lines separated by bars. */
function includedIn(options: readonly string[], name: string): ReturnType<typeof createSourceText> | null {
  const found = options.find((line) => line.startsWith(`--include ${name} `));
  if (found === undefined) return null;
  return createSourceText(name, found.slice(`--include ${name} `.length).split(' | ').join('\n'));
}

/** Returns the lines that belong to no domain and the domains of the manifest, which must be valid; or the fault. */
function manifestOf(format: SourceFormat, { options, input }: FormatCase): string {
  const text = createSourceText('source', input);
  const fileDomain = valuesOf(options, '--domain-of-file')[0] ?? null;
  const include = (name: string) => includedIn(options, name);
  const imported = importForwards([{ format, text, fileDomain, include }], settingsOf(options));
  if (!imported.ok) {
    const { kind, span, message, hint } = imported.error;
    const place = span === null ? '' : `${sourceOf(span).line}:${sourceOf(span).column}: `;
    return `${kind}: ${place}${message}\n  try: ${hint}\n`;
  }
  const { leftOut, domains } = imported.value;
  const stray = leftOut.map((line) => `${comment(leftOutLine(line))}\n`).join('');
  const body = [...domains].map((domain) => importedDomainText(domain)).join('');
  const manifest = `version: 1\ndomains:${body === '' ? ' {}' : ''}\n${body}`;
  const resolving = { references: 'optional', resolve: () => null, apiVersion: null } as const;
  const { problems } = loadManifest([{ file: 'imported.yaml', text: manifest }], resolving);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return stray + body;
}

/** `UPDATE_GOLDEN=1` writes the expected output again. */
function update(format: SourceFormat): void {
  const parts = casesOf(format).map((each) => {
    const head = [each.name, ...each.options].join('\n');
    return `=== ${head}\n--- input\n${each.input}--- manifest\n${manifestOf(format, each)}`;
  });
  writeFileSync(join(CASES, `${format}.txt`), parts.join(''));
}

const FORMATS = Object.keys(SOURCE_FORMATS) as readonly SourceFormat[];
if (process.env['UPDATE_GOLDEN'] === '1') for (const format of FORMATS) update(format);

test('every format has at least twenty cases', () => {
  expect(readdirSync(CASES).sort()).toEqual(FORMATS.map((format) => `${format}.txt`).sort());
  for (const format of FORMATS) expect(casesOf(format).length).toBeGreaterThanOrEqual(20);
});

describe.each(FORMATS)('%s', (format) => {
  test.each(casesOf(format).map((each) => [each.name, each] as const))('%s', (_, each) => {
    expect(manifestOf(format, each)).toBe(each.manifest);
  });
});
