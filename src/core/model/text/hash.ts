import type { Hash } from 'node:crypto';

/** Begins a hash. The first one loads Node's cryptography: commands that need no hash, such as `validate`, start sooner. */
export function beginHash(algorithm: 'sha1' | 'sha256'): Hash {
  return process.getBuiltinModule('node:crypto').createHash(algorithm);
}
