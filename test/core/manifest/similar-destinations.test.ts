import { describe, expect, test } from 'vitest';
import { acme, load, problemsOf } from './support/loading.ts';

/** Makes aliases, one for each destination. */
function aliases(...destinations: readonly string[]): string {
  return acme('aliases:', ...destinations.map((to, index) => `  a${index}: ${to}`));
}

function hintsOf(text: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  return load(text, { env })
    .problems.filter(({ code }) => code === 'similar-destination')
    .map(({ hint }) => hint);
}

const OFTEN = ['ana@corp.example', 'ben@corp.example', 'Eve@Corp.example'];

describe('a typing error', () => {
  test.each([
    ['gmial.com', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['gmail.con', 'gmail.com'],
    ['gamil.com', 'gmail.com'],
    ['hotmai.com', 'hotmail.com'],
    ['outllook.com', 'outlook.com'],
    ['iclound.com', 'icloud.com'],
  ])('%s for the provider %s', (typed, meant) => {
    expect(hintsOf(aliases(`ana@${typed}`))).toEqual([`did you mean "${meant}"?`]);
  });

  test.each(['crop.example', 'corp.exmaple', 'corpp.example', 'korp.example'])(
    '%s for a domain that the manifest uses three times',
    (typed) => {
      expect(hintsOf(aliases(...OFTEN, `ana@${typed}`))).toEqual(['did you mean "corp.example"?']);
      expect(hintsOf(aliases(...OFTEN.slice(1), `ana@${typed}`))).toEqual([]);
    },
  );

  test('is found at each place: in groups, rules and templates', () => {
    const text = `version: 1
destinations:
  team: [ana@gmial.com, ben@corp.example]
templates:
  standard: { aliases: { abuse: ana@gmial.com } }
domains:
  acme.example:
    use: [standard]
    aliases: { info: team }
    rules: [{ name: vip, alias: vip, forward: Eve@gmial.com }]
`;
    expect(problemsOf(text)).toEqual([
      'similar-destination 3:10',
      'similar-destination 5:33',
      'similar-destination 10:47',
    ]);
    expect(load(text).problems[0]?.message).toBe(
      'the domain "gmial.com" of this destination is almost "gmail.com", a large mail provider',
    );
  });
});

describe('no typing error', () => {
  test.each([
    ['a provider', ['ana@ymail.com', 'ben@mail.com', 'eve@gmx.de', 'dan@gmail.com', 'kim@gmail.com']],
    ['another country', ['ana@yahoo.fr', 'ben@hotmail.de']],
    ['another company, with a short name', ['ana@line.com', 'ben@mx.com', 'eve@web.dk']],
    ['a webhook', ['https://hooks.gmial.com/ana@gmial.com']],
    ['another top-level domain', ['a@acme.com', 'b@acme.com', 'c@acme.com', 'd@acme.co']],
    ['a short part', ['a@de.corp.example', 'b@de.corp.example', 'c@de.corp.example', 'd@dk.corp.example']],
    ['another number', ['a@host1.example', 'b@host1.example', 'c@host1.example', 'd@host2.example']],
    [
      'a domain that is used nearly as often',
      [...OFTEN, ...OFTEN, 'a@crop.example', 'b@crop.example', 'c@crop.example'],
    ],
  ])('%s', (_, destinations) => {
    expect(hintsOf(aliases(...destinations))).toEqual([]);
  });

  test('a domain of the manifest', () => {
    expect(hintsOf(`${aliases('ana@gmial.com')}  gmial.com: {}\n`)).toEqual([]);
  });

  test('the value of a reference, which no message may show', () => {
    expect(hintsOf(aliases('{ env: ANA }'), { ANA: 'ana@gmial.com' })).toEqual([]);
  });
});

test('lint.off silences it in the manifest, in a domain, and for an entry', () => {
  const text = aliases('ana@gmial.com');
  expect(hintsOf(`${text}lint: { off: [similar-destination] }\n`)).toEqual([]);
  expect(hintsOf(`${text}    lint: { off: [similar-destination] }\n`)).toEqual([]);
  expect(hintsOf(`${text}    lint: { off: [similar-destination a0] }\n`)).toEqual([]);
  expect(hintsOf(`${text}    lint: { off: [similar-destination a1] }\n`)).toHaveLength(1);
});
