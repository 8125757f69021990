import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

interface Allowed {
  readonly folders: ReadonlySet<string>;
  readonly libraries: ReadonlySet<string>;
}

/** The import table of ARCHITECTURE.md: folder -> what it may import. */
function readImportTable(): ReadonlyMap<string, Allowed> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const start = text.indexOf('| folder | may import from src/');
  const rows = text.slice(start).split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return new Map(
    rows.map((row) => {
      const [folder = '', folders = '', libraries = ''] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [folder, { folders: cellItems(folders), libraries: cellItems(libraries) }];
    }),
  );
}

function cellItems(cell: string): ReadonlySet<string> {
  return new Set(cell === '–' ? [] : cell.split(',').map((item) => item.trim()));
}

function sourceFiles(folder = 'src'): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
}

function importsOf(text: string): readonly string[] {
  const statement =
    /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(statement)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** True if a file is in a folder, or matches a path with `*` for any name. */
function isIn(place: string, file: string): boolean {
  if (!place.endsWith('.ts')) return file.startsWith(`${place}/`);
  const names = place.split('*').map((part) => part.replaceAll('.', String.raw`\.`));
  return new RegExp(`^${names.join('[^/]*')}$`).test(file);
}

/** Returns the longest row of the table that holds for a file; undefined if there is none. */
function rowOf(table: ReadonlyMap<string, Allowed>, file: string): string | undefined {
  return [...table.keys()].filter((place) => isIn(place, file)).sort((a, b) => b.length - a.length)[0];
}

/** Returns why a file may not import something; null means that it may. */
export function violation(
  table: ReadonlyMap<string, Allowed>,
  file: string,
  specifier: string,
): string | null {
  if (!file.includes('/')) return null; // src/index.ts is the library's face
  const folder = rowOf(table, file);
  const allowed = folder === undefined ? undefined : table.get(folder);
  if (folder === undefined || allowed === undefined) return `${file} is in no row of the table`;
  if (isBuiltin(specifier))
    return folder === 'core/plan' ? `${file}: core/plan is pure and may not use ${specifier}` : null;
  if (!specifier.startsWith('.')) {
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    return allowed.libraries.has(name) ? null : `${file}: ${folder} may not use ${name}`;
  }
  const target = normalize(join(dirname(file), specifier));
  if (target.startsWith('../')) return null; // schemas and package.json beside src
  if (isIn(folder, target) && !folder.endsWith('.ts')) return null;
  if (isIn('cli', target)) return `${file}: nothing imports cli`;
  return allowed.folders.has('*') || [...allowed.folders].some((place) => isIn(place, target))
    ? null
    : `${file}: ${folder} may not import ${target}`;
}

describe('the import table of ARCHITECTURE.md', () => {
  const table = readImportTable();

  test('names every folder of src', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    for (const { name } of folders) {
      const files = sourceFiles().filter((file) => file.startsWith(`${name}/`));
      expect(files.filter((file) => rowOf(table, file) === undefined)).toEqual([]);
    }
  });

  test('holds for every import', () => {
    const found = sourceFiles().flatMap((file) =>
      importsOf(readFileSync(join(root, 'src', file), 'utf8')).map((specifier) =>
        violation(table, file, specifier),
      ),
    );
    expect(found.length).toBeGreaterThan(100);
    expect(found.filter((reason) => reason !== null)).toEqual([]);
  });

  test.each([
    ['core/plan/plan.ts', '../../client/client.ts', 'core/plan may not import client'],
    ['core/plan/plan.ts', 'node:fs', 'core/plan is pure and may not use node:fs'],
    ['emulator/account/store.ts', '../../core/model/names.ts', 'emulator may not import core/model'],
    ['core/rate-limit/budget.ts', '../plan/plan.ts', 'core/rate-limit may not import core/plan'],
    ['client/listing.ts', '../engine/once.ts', 'client may not import engine'],
    ['engine/state/store.ts', '../../client/client.ts', 'engine/state may not import client'],
    ['core/manifest/load.ts', 'undici', 'core/manifest may not use undici'],
    ['engine/apply/apply.ts', '../../cli/exit.ts', 'nothing imports cli'],
  ])('refuses %s importing %s', (file, specifier, reason) => {
    expect(violation(table, file, specifier)).toContain(reason);
  });

  test('sees every form of an import', () => {
    const text = `import a from 'one';\nimport { b,\n c } from "two";\nexport * from 'three';\nimport type { d } from 'four';\nawait import('five');\nimport 'six';`;
    expect([...importsOf(text)].sort()).toEqual(['five', 'four', 'one', 'six', 'three', 'two']);
  });
});

/** Returns the import cycles, including type imports, each as one of its paths. */
export function circlesOf(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}

/** Returns the names that several files export, with these files. */
export function twiceExported(texts: ReadonlyMap<string, string>): readonly string[] {
  const exported = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type|let) (\w+)/gm)].map(
      ([, name = '']) => ({ file, name }),
    ),
  );
  return [...Map.groupBy(exported, ({ name }) => name)]
    .filter(([, places]) => new Set(places.map(({ file }) => file)).size > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`);
}

const texts = new Map(sourceFiles().map((file) => [file, readFileSync(join(root, 'src', file), 'utf8')]));

function importsBetween(files: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...files].map(([file, text]) => [
      file,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => normalize(join(dirname(file), specifier))),
    ]),
  );
}

describe('no circles, no name twice, no crowded folder', () => {
  test('no circle of files, types included', () => {
    expect(circlesOf(importsBetween(texts))).toEqual([]);
  });

  test('a planted circle is found, one of types too', () => {
    const planted = new Map([
      ...texts,
      ['core/model/one.ts', "import type { Two } from './two.ts';"],
      ['core/model/two.ts', "import { three } from '../plan/three.ts';"],
      ['core/plan/three.ts', "import type { One } from '../model/one.ts';"],
    ]);
    expect(circlesOf(importsBetween(planted))).toContain(
      'core/model/one.ts -> core/model/two.ts -> core/plan/three.ts -> core/model/one.ts',
    );
  });

  test('no two files export the same name', () => {
    expect(twiceExported(texts)).toEqual([]);
    const planted = new Map([
      ['a.ts', 'export interface Twin {'],
      ['b.ts', 'export type Twin = 1;'],
    ]);
    expect(twiceExported(planted)).toEqual(['Twin: a.ts, b.ts']);
  });

  test('no more than two files have a name, those of each kind apart', () => {
    const others = [...texts.keys()].filter((file) => !/^core\/kinds\/.*\//.test(file));
    const names = Map.groupBy(others, (file) => basename(file));
    expect([...names.values()].filter((files) => files.length > 2)).toEqual([]);
  });

  test('no folder holds more than thirteen files beside its sub-folders', () => {
    const folders = Map.groupBy(texts.keys(), dirname);
    expect([...folders].filter(([, files]) => files.length > 13).map(([folder]) => folder)).toEqual([]);
  });
});

describe('the files of src', () => {
  test('no barrels and no cycles back to the face', () => {
    const offenders = sourceFiles().filter(
      (file) =>
        file !== 'index.ts' &&
        (file.endsWith('/index.ts') ||
          /from '(\.\.\/)+index\.ts'/.test(readFileSync(join(root, 'src', file), 'utf8'))),
    );
    expect(offenders.map((file) => relative(root, join(root, 'src', file)))).toEqual([]);
  });

  test('every library that is bundled is justified in ARCHITECTURE.md, of one version, and there are at most 22', () => {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as { readonly dependencies?: object; readonly devDependencies: Readonly<Record<string, string>> };
    expect(dependencies).toBeUndefined();
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const names = new Set([...readImportTable().values()].flatMap(({ libraries }) => [...libraries]));
    expect(names.size).toBeGreaterThan(10);
    expect(names.size).toBeLessThanOrEqual(22);
    for (const name of names) {
      expect(text).toMatch(new RegExp(`^\\| [^|]*${name}[^|]* \\|`, 'm'));
      expect(devDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });
});

test('no helper of tests has a hook at its top: files share modules, so it would run for the first file alone', () => {
  const helpers = sourceFiles('test').filter((file) => !file.endsWith('.test.ts'));
  const withHook = helpers.filter((file) =>
    /^(?:before|after)(?:All|Each)\(/m.test(readFileSync(join(root, 'test', file), 'utf8')),
  );
  expect(helpers.length).toBeGreaterThan(100);
  expect(withHook).toEqual([]);
});

test('comments begin with a subject or a verb, and say who or what they mean', () => {
  const comment = /(?:\/\*\*|^\s*\*|(?:^|\s)\/\/) (.+)/gm;
  const beginning = /^(?:As|By what|Of|So many|That|The same|Those|What|Whether|Where|Which)\b/;
  const vague = /\b(?:besides|nobody|of (?:its|their) own|somebody|that which|whatever)\b/i;
  const found = ['src', 'test', 'bench', 'schemas'].flatMap((folder) =>
    sourceFiles(folder).flatMap((file) =>
      [...readFileSync(join(root, folder, file), 'utf8').matchAll(comment)]
        .map(([, text = '']) => text)
        .filter((text) => beginning.test(text) || vague.test(text))
        .map((text) => `${folder}/${file}: ${text}`),
    ),
  );
  expect(found).toEqual([]);
});
