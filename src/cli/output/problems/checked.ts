import type { Context, CheckedManifests } from '../../context.ts';
import { printJson } from '../output.ts';
import { problemsJunit } from './problems-junit.ts';
import { problemsSarif } from './problems-sarif.ts';

/** Formats that are one document, also where there are many accounts: what is found of one of them is kept for it. */
export function printChecked(context: Context, format: 'sarif' | 'junit', checked: CheckedManifests): void {
  if (context.ofAccount !== undefined) return context.ofAccount.report({ checked });
  if (format === 'sarif') return printJson(context, problemsSarif(checked));
  context.stdout.write(problemsJunit(checked));
}
