import type { Change } from '../../../../core/model/plan.ts';

/** One change as a line of a diff. */
export interface DiffLine {
  readonly action: Change['action'];
  readonly kind: string;
  /** The part of the name that the line's place does not show. */
  readonly name: string;
  readonly text: string;
  readonly note: string;
  readonly place: string | null;
}
