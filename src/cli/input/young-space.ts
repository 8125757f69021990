import type { ManifestText } from '../../manifest/read/text.ts';

/** Bytes of manifests. */
const LARGE = 2 ** 20;

/**
 * Of a large manifest nearly everything that is made stays. V8 would let the space of its young objects grow to a few times 16
 * MiB nevertheless, and its heap with that: it makes a third of the peak, and gains no time. Small ones never get that far.
 */
export function keepYoungSpaceSmall(texts: readonly ManifestText[]): void {
  const bytes = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (bytes < LARGE) return;
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
}
