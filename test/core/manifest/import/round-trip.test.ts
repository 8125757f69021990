import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SourceFormat } from '../../../../src/core/manifest/import/formats.ts';
import { importForwards } from '../../../../src/core/manifest/import/import.ts';
import { importedDomainText } from '../../../../src/core/manifest/import/write/manifest-text.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import { createSourceText } from '../../../../src/core/manifest/read/text.ts';

// Forwards that are written in the form of each source are imported unchanged.

const DOMAIN = 'acme.example';

/** Destinations by name; `*` is the catch-all. */
type Forwards = Readonly<Record<string, readonly string[]>>;

const at = (name: string): string => `${name}@${DOMAIN}`;

function lines(forwards: Forwards, line: (name: string, to: readonly string[]) => string): string {
  return Object.entries(forwards)
    .map(([name, to]) => `${line(name, to)}\n`)
    .join('');
}

function cloudflareRule(name: string, to: readonly string[]): unknown {
  const matcher = name === '*' ? { type: 'all' } : { type: 'literal', field: 'to', value: at(name) };
  return { enabled: true, matchers: [matcher], actions: [{ type: 'forward', value: to }] };
}

/** Formats that name addresses. The patterns of `postfix-regexp` become aliases with a pattern. */
type NamingFormat = Exclude<SourceFormat, 'postfix-regexp'>;

/** Writes forwards as a source of the format has them. */
const WRITERS: Readonly<Record<NamingFormat, (forwards: Forwards) => string>> = {
  postfix: (forwards) =>
    `${DOMAIN} virtual\n${lines(forwards, (name, to) => `${name === '*' ? '' : name}@${DOMAIN} ${to.join(', ')}`)}`,
  aliases: (forwards) => lines(forwards, (name, to) => `${name}: ${to.join(', ')}`),
  exim: (forwards) => lines(forwards, (name, to) => `${name === '*' ? '*' : at(name)}: ${to.join(', ')}`),
  table: (forwards) =>
    JSON.stringify(
      Object.entries(forwards).map(([name, to]) => ({ from: at(name), to: to.length === 1 ? to[0] : to })),
    ),
  cloudflare: (forwards) =>
    JSON.stringify({ result: Object.entries(forwards).map(([name, to]) => cloudflareRule(name, to)) }),
  'forward-email': (forwards) =>
    lines(forwards, (name, to) => `"forward-email=${to.map((one) => `${name}:${one}`).join(',')}"`),
};

/** Formats without a catch-all, or with a special form for it. */
const WITHOUT_CATCH_ALL: readonly NamingFormat[] = ['aliases', 'table', 'forward-email'];

function imported(format: SourceFormat, text: string): Forwards {
  const source = { format, text: createSourceText('source', text), fileDomain: DOMAIN, include: () => null };
  const settings = {
    localDomains: [DOMAIN],
    only: null,
    columns: null,
    delimiter: '+',
    engine: 'aliases',
  } as const;
  const result = importForwards([source], settings);
  if (!result.ok) throw new Error(result.error.message);
  expect(result.value.leftOut).toEqual([]);
  const body = [...result.value.domains].map((domain) => importedDomainText(domain)).join('');
  const manifest = `version: 1\ndomains:\n${body}`;
  const { desired } = loadManifest([{ file: 'imported.yaml', text: manifest }], {
    references: 'optional',
    resolve: () => null,
    apiVersion: null,
  });
  const domain = desired?.domains.get(DOMAIN as DomainName);
  const entries = domain?.state === 'present' ? [...(domain.aliases?.entries.values() ?? [])] : [];
  return Object.fromEntries(
    entries.flatMap((entry) => (entry.state === 'present' ? [[entry.name, entry.forward.toSorted()]] : [])),
  );
}

const destination = fc.constantFrom(
  'ana@corp.example',
  'ben@corp.example',
  'rest@x.example',
  'o.k@y.example',
);
const destinations = fc.uniqueArray(destination, { minLength: 1, maxLength: 3 });

test.each(Object.entries(WRITERS) as [NamingFormat, (forwards: Forwards) => string][])(
  '%s',
  (format, write) => {
    const names = ['info', 'sales', 'a.b', 'no', '1e3', ...(WITHOUT_CATCH_ALL.includes(format) ? [] : ['*'])];
    const forwards = fc.dictionary(fc.constantFrom(...names), destinations, {
      minKeys: 1,
      noNullPrototype: true,
    });
    const property = fc.property(forwards, (written) => {
      const expected = Object.entries(written).map(([name, to]) => [name, to.toSorted()] as const);
      expect(imported(format, write(written))).toEqual(Object.fromEntries(expected));
    });
    fc.assert(property, { numRuns: 200, seed: 1 });
  },
);
