import { createRequire } from 'node:module';

// build.ts takes this line away: its bundler follows `require`, but not one that a file makes for itself.
const require = createRequire(import.meta.url);

/** Loads the RE2 library when the first pattern needs it. Most manifests that a git hook checks have no pattern. */
export function re2(): typeof import('re2js') {
  return require('re2js') as typeof import('re2js');
}

/** Loads the CEL library when the first expression needs it. */
export function cel(): typeof import('@marcbachmann/cel-js') {
  return require('@marcbachmann/cel-js') as typeof import('@marcbachmann/cel-js');
}
