import type { ManifestText } from '../../manifest/read/text.ts';

/** Bytes of manifests. */
const LARGE = 2 ** 20;
const HUGE = 2 ** 24;

/**
 * Of a large manifest nearly everything that is made stays. V8 would let the space of its young objects grow to a few times 16
 * MiB nevertheless, and its heap with that: it makes a third of the peak. Of a huge one it would also let the heap grow to
 * twice what is used before it clears up, which costs more memory than time. Small ones never get that far.
 */
export function keepHeapSmall(texts: readonly ManifestText[]): void {
  const bytes = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (bytes < LARGE) return;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  if (bytes > HUGE) setFlagsFromString('--heap-growing-percent=30');
}
