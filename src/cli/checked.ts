import type { Problem } from '../model/problem.ts';
import type { Context } from './context.ts';
import { problemsJunit } from './problems-junit.ts';
import { problemsSarif } from './problems-sarif.ts';

/** The manifests that were read, and what was found in them. */
export interface Checked {
  readonly problems: readonly Problem[];
  readonly texts: readonly { readonly file: string }[];
}

/** Formats that are one document, also where there are many accounts. */
export type CheckedFormat = 'sarif' | 'junit';

export function printChecked(context: Context, format: CheckedFormat, checked: Checked): void {
  const text =
    format === 'junit'
      ? problemsJunit(checked)
      : `${JSON.stringify(problemsSarif(checked.problems), null, 2)}\n`;
  context.stdout.write(text);
}
