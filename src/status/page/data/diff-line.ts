import type { Change } from '../../../model/plan.ts';

/** One change, as a line of a diff. */
export interface DiffLine {
  readonly action: Change['action'];
  readonly kind: string;
  /** Of what the line is not told by its place. */
  readonly name: string;
  readonly text: string;
  readonly note: string;
  readonly place: string | null;
}
