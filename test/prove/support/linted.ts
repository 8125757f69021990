import { reportLint } from '../../../src/core/manifest/check/lint/lint.ts';
import { loadManifest, type LoadedManifest } from '../../../src/core/manifest/load.ts';
import { createProblemLog } from '../../../src/core/manifest/problems.ts';
import { cpuSeconds } from '../../support/cpu.ts';

/** Loads one manifest, the linter included. */
export function load(text: string): LoadedManifest {
  return loadManifest([{ file: 'm.yaml', text }], {
    references: 'optional',
    resolve: () => null,
    apiVersion: 'v4',
  });
}

/** CPU seconds of the linter alone. */
export function measureLint(domains: Parameters<typeof reportLint>[1]): number {
  const log = createProblemLog();
  const nothing = {
    api: null,
    guards: null,
    lint: [],
    destinations: new Map(),
    templates: new Map(),
    defaults: new Map(),
    domains: [],
    completeness: 'complete',
  } as const;
  const destinations = {
    resolve: () => null,
    checkSpares: () => undefined,
    isUsed: () => true,
    references: new Map(),
    written: new Map(),
  };
  const options = { references: 'optional', resolve: () => null, apiVersion: 'v4' } as const;
  const started = cpuSeconds();
  const loading = { log, options, completeness: 'complete', destinations } as const;
  reportLint(nothing, domains, loading, { isSound: true, isWhole: () => true, mayUse: () => false });
  return cpuSeconds() - started;
}
