import { createRequire } from 'node:module';

// build.ts takes this line away: its bundler follows `require`, but not one that a file makes for itself.
const require = createRequire(import.meta.url);

/** Loaded with the first pattern: most manifests that a git hook checks have none. */
export function re2(): typeof import('re2js') {
  return require('re2js') as typeof import('re2js');
}

/** Loaded with the first expression. */
export function cel(): typeof import('@marcbachmann/cel-js') {
  return require('@marcbachmann/cel-js') as typeof import('@marcbachmann/cel-js');
}
