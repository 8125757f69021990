import type { Problem } from '../../../model/problem.ts';
import type { Context } from '../../context.ts';
import { printJson } from '../output.ts';
import { problemsJunit } from './problems-junit.ts';
import { problemsSarif } from './problems-sarif.ts';

/** The manifests that were read, and what was found in them. */
export interface CheckedManifests {
  readonly problems: readonly Problem[];
  readonly texts: readonly { readonly file: string }[];
}

/** Formats that are one document, also where there are many accounts: what is found of one of them is kept for it. */
export function printChecked(context: Context, format: 'sarif' | 'junit', checked: CheckedManifests): void {
  if (context.ofAccount !== undefined) return context.ofAccount.check(checked);
  if (format === 'sarif') return printJson(context, problemsSarif(checked.problems));
  context.stdout.write(problemsJunit(checked));
}
