import type { Change } from '../../../../core/model/plan.ts';

/** One change, as a line of a diff. */
export interface DiffLine {
  readonly action: Change['action'];
  readonly kind: string;
  /** Of what the place of the line does not say. */
  readonly name: string;
  readonly text: string;
  readonly note: string;
  readonly place: string | null;
}
