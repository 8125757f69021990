import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOURCE_FORMATS, type SourceFormat } from '../../../../src/core/manifest/import/formats.ts';
import { importForwards } from '../../../../src/core/manifest/import/import.ts';
import {
  importedDomainText,
  leftOutLine,
  manifestHead,
} from '../../../../src/core/manifest/import/write/manifest-text.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import { createSourceText } from '../../../../src/core/manifest/read/text.ts';
import { runs } from '../../../support/share.ts';

const FORMATS = Object.keys(SOURCE_FORMATS) as readonly SourceFormat[];

/** Parts of sources in every format, and of texts in none. */
const PARTS = [
  'info',
  'INFO',
  'sales+x',
  'no',
  '1e3',
  '*',
  '?',
  '__proto__',
  'ünïcode',
  'pаypal',
  '"quoted name"',
  "o'neil",
  '#',
  '%',
  '$1',
  '${2}',
  '@acme.example',
  '@beta.example',
  '@corp.example',
  '@münchen.example',
  '@localhost',
  'acme.example',
  ' ',
  '\t',
  '\n',
  '\n ',
  ', ',
  ':',
  ': ',
  '|/bin/sh',
  '/dev/null',
  ':fail:',
  ':blackhole:',
  ':include:x',
  '\\',
  '"',
  '(',
  ')',
  '<',
  '>',
  '{',
  '}',
  '[',
  ']',
  '/^',
  '$/',
  '.*',
  '(a|b)',
  '(.*)',
  '[a-z]{2,3}',
  '\\.',
  '!',
  'if ',
  'endif',
  '- ',
  '&a ',
  '*a',
  '!!str',
  '\u202e',
  '\u0007',
  '\ufeff',
  '{{x}}',
  '=== ',
  '---',
  '"forward-email=',
  'IN TXT ',
  'email,forwardTo\n',
  'alias,note,enabled,mailboxes\n',
  '[{"from":"a","to":"b@corp.example"}]',
  'https://h.example/s',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ maxLength: 5 })), { maxLength: 40 })
  .map((parts) => parts.join(''));
const settings = fc.record({
  localDomains: fc.constantFrom([], ['acme.example'], ['acme.example', 'beta.example']),
  only: fc.constant(null),
  columns: fc.constantFrom(null, { address: 'email', destination: 'forwardTo' }),
  delimiter: fc.constantFrom('+', '-'),
  engine: fc.constantFrom('aliases' as const, 'rules' as const),
});

test('the manifest of any text is valid, and its comments are comments', () => {
  const imports = fc.record({ format: fc.constantFrom(...FORMATS), text, settings });
  fc.assert(
    fc.property(imports, ({ format, text, settings }) => {
      const source = createSourceText('source', text);
      const imported = importForwards(
        [{ format, text: source, fileDomain: 'acme.example', include: () => source }],
        settings,
      );
      if (!imported.ok) return;
      const domains = [...imported.value.domains];
      const head = manifestHead([...imported.value.notes, ...imported.value.leftOut.map(leftOutLine)]);
      const body = domains.map((domain) => importedDomainText(domain)).join('');
      const manifest = `${head}domains:${body === '' ? ' {}' : ''}\n${body}`;
      const options = { references: 'optional', resolve: () => null, apiVersion: null } as const;
      const { problems, counts } = loadManifest([{ file: 'imported.yaml', text: manifest }], options);
      expect(
        problems.filter(({ severity }) => severity === 'error'),
        manifest,
      ).toEqual([]);
      expect(counts.domains).toBe(domains.length);
      expect(counts.aliases).toBe(domains.reduce((sum, { aliases }) => sum + aliases.length, 0));
      expect(counts.rules).toBe(domains.reduce((sum, { rules }) => sum + rules.length, 0));
    }),
    { numRuns: runs(3_000, 500) },
  );
});

const local = fc.stringMatching(/^[a-z][a-z0-9._-]{0,10}[a-z0-9]$/);
const destination = local.map((name) => `${name}@corp.example`);
const entries = fc.uniqueArray(fc.tuple(local, fc.uniqueArray(destination, { minLength: 1, maxLength: 3 })), {
  selector: ([name]) => name,
  minLength: 1,
});

/** Functions that write aliases of acme.example, by format. */
const WRITERS: Readonly<
  Record<Exclude<SourceFormat, 'postfix-regexp'>, (entries: [string, string[]][]) => string>
> = {
  postfix: (all) => all.map(([name, to]) => `${name}@acme.example ${to.join(', ')}\n`).join(''),
  aliases: (all) => all.map(([name, to]) => `${name}: ${to.join(', ')}\n`).join(''),
  exim: (all) => all.map(([name, to]) => `${name}@acme.example: ${to.join(',')}\n`).join(''),
  table: (all) =>
    `email,forwardTo\n${all.map(([name, to]) => `${name}@acme.example,"${to.join(',')}"\n`).join('')}`,
  cloudflare: (all) =>
    JSON.stringify({
      result: all.map(([name, value]) => ({
        enabled: true,
        matchers: [{ type: 'literal', field: 'to', value: `${name}@acme.example` }],
        actions: [{ type: 'forward', value }],
      })),
    }),
  'forward-email': (all) =>
    `"forward-email=${all.flatMap(([name, to]) => to.map((each) => `${name}:${each}`)).join(',')}"\n`,
};

test.each(Object.entries(WRITERS))('aliases written as %s come back', (format, write) => {
  fc.assert(
    fc.property(entries, (all) => {
      const source = createSourceText('source', write(all));
      const imported = importForwards(
        [{ format: format as SourceFormat, text: source, fileDomain: null, include: () => null }],
        { localDomains: ['acme.example'], only: null, columns: null, delimiter: '+', engine: 'aliases' },
      );
      if (!imported.ok) throw new Error(imported.error.message);
      const [domain] = [...imported.value.domains];
      expect(domain?.leftOut).toEqual([]);
      expect(domain?.aliases.map(({ name, forward }) => [name, forward])).toEqual(all);
    }),
    { numRuns: 100 },
  );
});
