import { expect, test } from 'vitest';
import { parseAllDocuments, Parser } from 'yaml';
import { replaceDestination, type Replaced } from '../../src/core/manifest/replace/replace.ts';
import { replaceTerms } from '../../src/cli/commands/replace/replace-terms.ts';
import { createChance } from './support/chance.ts';
import { OLD_MARK, randomYaml } from './support/random-yaml.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

const OLD = 'ben@corp.example';
const GROUPS = new Set(['oncall', 'spare']);
const LONG = { timeout: 3_600_000 };

/** New destinations, and whether they need quotes as they are. */
const NEW: readonly (readonly [text: string, needsQuotes: boolean])[] = [
  ['eve@corp.example', false],
  ['https://hooks.corp.example/new?x=1&y=2#part', false],
  ["o'neil@corp.example", false],
  ['*star@corp.example', true],
  ['spare', false],
];

function run(text: string, from: string, to: string | null): Replaced & { readonly text: string } {
  const terms = replaceTerms({ from, to }, GROUPS);
  const replaced = replaceDestination({ texts: [{ file: 'm.yaml', text }], references: new Map(), terms });
  return { ...replaced, text: String(replaced.texts[0]?.text) };
}

type Tree = string | readonly Tree[] | { readonly [key: string]: Tree };

/** Parses a text as YAML. */
function rawTree(text: string): readonly Tree[] {
  const documents = parseAllDocuments(text, { schema: 'failsafe', uniqueKeys: false });
  if (!Array.isArray(documents)) throw new Error('no documents');
  return documents.map((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors[0]?.message}\n${text}`);
    return document.toJS({ maxAliasCount: -1 }) as Tree;
  });
}

/** Returns the value with each list of destinations as a set. */
function parse(text: string): Tree {
  return rawTree(text).map((document) =>
    eachDestination(document, (value) => (Array.isArray(value) ? asSet(value as readonly Tree[]) : value)),
  );
}

function asSet(list: readonly Tree[]): Tree {
  const texts = new Set(list.map((one) => JSON.stringify(one)));
  return [...texts].sort().map((one) => JSON.parse(one) as Tree);
}

/** Changes the value of every place that holds destinations. */
function eachDestination(tree: Tree, change: (value: Tree) => Tree, path: readonly string[] = []): Tree {
  if (isDestinationPath(path)) return change(tree);
  if (typeof tree === 'string') return tree;
  if (Array.isArray(tree))
    return (tree as readonly Tree[]).map((item) => eachDestination(item, change, [...path, '*']));
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [key, eachDestination(value, change, [...path, key])]),
  );
}

const DESTINATION_PATHS = [
  /^destinations [^ ]+$/,
  /^(?:templates|domains) [^ ]+ aliases [^ ]+$/,
  /^(?:templates|domains) [^ ]+ (?:rules|expect) [*] forward$/,
  /^defaults (?:notification_email|webhook)$/,
  /^domains [^ ]+ (?:notification_email|webhook)$/,
];

function isDestinationPath(path: readonly string[]): boolean {
  return DESTINATION_PATHS.some((pattern) => pattern.test(path.join(' ')));
}

function expected(documents: Tree, to: string | null): Tree {
  let isAlone = false;
  const changed = (documents as readonly Tree[]).map((document) =>
    eachDestination(document, (value) => {
      const list = Array.isArray(value) ? (value as readonly Tree[]) : null;
      if (to !== null) {
        if (list === null) return value === OLD ? to : value;
        return asSet(list.map((one) => (one === OLD ? to : one)));
      }
      const rest = list?.filter((one) => one !== OLD) ?? [];
      isAlone ||= value === OLD || (list !== null && rest.length === 0);
      return list === null ? value : rest;
    }),
  );
  return isAlone ? 'alone' : changed;
}

/** True if the new destination is there already, or a list has the old one twice. */
function isMerged(text: string, to: string): boolean {
  let found = false;
  for (const document of rawTree(text)) {
    eachDestination(document, (value) => {
      const all = Array.isArray(value) ? (value as readonly Tree[]) : [value];
      found ||= all.includes(to) || all.filter((one) => one === OLD).length > 1;
      return value;
    });
  }
  return found;
}

/** Returns the text with the new destination at each mark, in the existing quotes or in the quotes that it needs. */
function rendered(marked: string, to: string, needsQuotes: boolean): string {
  return marked.replaceAll(
    new RegExp(`(['"]|[|>]-\\r?\\n +)?${OLD_MARK}`, 'g'),
    (_, before: string | undefined) => {
      if (before === undefined) return needsQuotes ? `'${to}'` : to;
      return before + (before === "'" ? to.replaceAll("'", "''") : to);
    },
  );
}

/** All comments of a text. */
function commentsOf(text: string): readonly string[] {
  const found = new Map<number, string>();
  const visit = (token: unknown): void => {
    if (typeof token !== 'object' || token === null) return;
    const { type, source, offset } = token as { type?: string; source?: string; offset?: number };
    if (type === 'comment' && source !== undefined && offset !== undefined)
      found.set(offset, source.trimEnd());
    for (const part of Object.values(token)) visit(part);
  };
  for (const token of new Parser().parse(text)) visit(token);
  return [...found.values()].sort();
}

test('replace changes the destination in any style of YAML, and no other byte', LONG, () => {
  const chance = createChance(PROVE_SEED);
  const seen = { texts: 0, changes: 0, same: 0, plain: 0 };
  for (let count = 0; count < runs(1_000, 12); count += 1) {
    const [to, needsQuotes] = chance.pick(NEW);
    const isBeside = chance.number(2) === 0;
    const beside = isBeside ? (needsQuotes ? `"${to}"` : to) : 'fay@corp.example';
    // If only the new text needs quotes, the old quotes cannot be restored.
    const quotes = needsQuotes ? ['', '"'] : ['', '"', "'"];
    const other = chance.number(2) === 0 ? null : beside;
    const marked = randomYaml(chance, { other, quotes, alone: true });
    const before = marked.replaceAll(OLD_MARK, OLD);
    const after = run(before, OLD, to);
    const shown = { before, to, after: after.text };
    expect({ ...shown, parsed: parse(after.text) }).toEqual({
      ...shown,
      parsed: expected(parse(before), to),
    });
    expect(run(after.text, OLD, to).text).toBe(after.text);
    expect(after.changes.length > 0).toBe(after.text !== before);
    expect({ ...shown, comments: commentsOf(after.text) }).toEqual({
      ...shown,
      comments: commentsOf(before),
    });
    // If a list had both destinations, or a value was a YAML alias of one, the change cannot be reversed.
    const isPlain = !isMerged(before, to) && !before.includes('from: *');
    if (isPlain) {
      expect(after.text).toBe(rendered(marked, to, needsQuotes));
      expect({ ...shown, back: run(after.text, to, OLD).text }).toEqual({ ...shown, back: before });
    }
    seen.plain += Number(isPlain);
    seen.texts += 1;
    seen.changes += after.changes.length;
    seen.same += Number(after.text === before);
  }
  console.info('replace:', seen);
});

test('replace --remove takes it out of lists, and refuses where it stands alone', LONG, () => {
  const chance = createChance(PROVE_SEED + 1);
  const seen = { removed: 0, refused: 0 };
  for (let count = 0; count < runs(1_000, 12); count += 1) {
    const alone = chance.number(4) === 0;
    const marked = randomYaml(chance, { other: 'fay@corp.example', quotes: ['', '"', "'"], alone });
    const before = marked.replaceAll(OLD_MARK, OLD);
    const after = run(before, OLD, null);
    const wanted = expected(parse(before), null);
    expect({ before, refused: after.only.length > 0 }).toEqual({ before, refused: wanted === 'alone' });
    if (wanted === 'alone') {
      seen.refused += 1;
      continue;
    }
    const shown = { before, after: after.text };
    expect({ ...shown, parsed: parse(after.text) }).toEqual({ ...shown, parsed: wanted });
    expect({ ...shown, comments: commentsOf(after.text) }).toEqual({
      ...shown,
      comments: commentsOf(before),
    });
    seen.removed += 1;
  }
  console.info('remove:', seen);
});
