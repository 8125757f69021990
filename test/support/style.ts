import type { Style } from '../../src/core/plan/render/style.ts';

const same = (text: string): string => text;

/** Without colours. */
export const PLAIN: Style = {
  add: same,
  update: same,
  remove: same,
  move: same,
  strong: same,
  dim: same,
  error: same,
  warning: same,
  good: same,
};
