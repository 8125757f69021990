import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directory.ts';
import { INSTALLED } from '../support/package.ts';
import { ENTRY } from '../support/program.ts';
import { IS_FULL } from '../support/share.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The packed program, made from a copy of the checkout in another directory. */
const PACKED = join(INSTALLED, 'lib/node_modules/fwdsync/dist');
const BUILT = dirname(ENTRY);
const SCHEMAS = join(ROOT, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
/** All ask for no more than their notice. */
const LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const filesOf = (directory: string): readonly string[] =>
  globSync('*', { cwd: directory })
    .filter((name) => name !== 'types')
    .sort();
const sbom = readJson(join(PACKED, 'sbom.cdx.json')) as { readonly components: readonly Component[] };
const notices = readFileSync(join(PACKED, 'THIRD-PARTY-NOTICES'), 'utf8');
const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

/** The packages of a bundle, each with its version, by the comments that the bundler writes above what it takes from a file. */
function bundled(): readonly string[] {
  const text = globSync('*.js', { cwd: PACKED })
    .map((name) => readFileSync(join(PACKED, name), 'utf8'))
    .join('\n');
  const paths = [...text.matchAll(/^\s*(?:\/\/ |")(node_modules\/[^\s"]+)/gm)].map(([, path = '']) => path);
  const directories = paths.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '');
  const versions = [...new Set(directories)].map((directory) => {
    const { name, version } = readJson(join(ROOT, directory, 'package.json')) as Component;
    return `${name} ${version}`;
  });
  return [...new Set(versions)].sort();
}

describe('what is bundled', () => {
  test('is listed by the SBOM, package by package, and nothing else is', () => {
    const listed = new Set(sbom.components.map((component) => `${nameOf(component)} ${component.version}`));
    expect([...listed].sort()).toEqual(bundled());
    expect(listed.size).toBeGreaterThan(80);
  });

  test('has a licence each that allows it', () => {
    const wrong = sbom.components.filter(
      ({ licenses }) => licenses.length !== 1 || !LICENCES.includes(licenses[0]?.license.id ?? ''),
    );
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test('is named in the notices, with its licence', () => {
    const titles = notices
      .split(`\n\n${'-'.repeat(80)}\n\n`)
      .map((part) => part.replace(/^.*packages, under.*\n\n/, ''));
    const expected = sbom.components.map(
      (one) => `${nameOf(one)} ${one.version} (${one.licenses[0]?.license.id ?? ''})`,
    );
    expect(titles.map((part) => part.split('\n', 1)[0])).toEqual([...new Set(expected)]);
    const textless = titles.filter(
      (part) => !/copyright|licen[cs]e/i.test(part.split('\n').slice(1).join('\n')),
    );
    // These ship no text, only the name of their licence.
    expect(textless.map((part) => part.split(' ', 1)[0])).toEqual(['abstract-logging', 'pg-types', 'pgpass']);
  });
});

test('the SBOM matches the published schema of CycloneDX', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  // The schema names others by their files.
  for (const name of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json'])
    ajv.addSchema(readJson(join(SCHEMAS, name)) as object, `http://cyclonedx.org/schema/${name}`);
  const validate = ajv.compile(readJson(join(SCHEMAS, 'bom-1.6.SNAPSHOT.schema.json')) as object);
  expect(validate(sbom), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...sbom, components: [{ name: 'x' }] })).toBe(false);
});

describe('a build', () => {
  test('in another directory has the same files, byte for byte', () => {
    expect(filesOf(PACKED)).toEqual(filesOf(BUILT));
    const different = filesOf(BUILT).filter(
      (name) => !readFileSync(join(PACKED, name)).equals(readFileSync(join(BUILT, name))),
    );
    expect(different).toEqual([]);
  });

  test('has no path of the machine that made it', () => {
    const found = globSync('**/*', { cwd: PACKED, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path, 'latin1').includes(ROOT));
    expect(found).toEqual([]);
  });

  test.runIf(IS_FULL)('asks git for commit and date where nothing else names them', async () => {
    const { SOURCE_COMMIT: _commit, SOURCE_DATE_EPOCH: _epoch, ...env } = process.env;
    const directory = await temporaryDirectory();
    const git = (...words: readonly string[]): string =>
      execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
    execFileSync(process.execPath, [join(ROOT, 'build.ts'), directory], { env });
    const built = readFileSync(join(directory, 'fwdsync.1'), 'utf8').split('\n', 1)[0];
    expect(built).toContain(
      new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString().slice(0, 10),
    );
    const text = globSync('*.js', { cwd: directory }).map((name) =>
      readFileSync(join(directory, name), 'utf8'),
    );
    expect(text.join('\n')).toContain(
      `"${git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*')}"`,
    );
  });
});
