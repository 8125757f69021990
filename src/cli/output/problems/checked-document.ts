import type { CheckedManifests, CommandResult } from '../../command.ts';
import { problemsJunit } from './problems-junit.ts';
import { problemsSarif } from './problems-sarif.ts';

/** Returns the findings in manifests as one document, also for many accounts. */
export function checkedDocument(
  format: 'sarif' | 'junit',
  checked: CheckedManifests,
): Pick<CommandResult, 'document' | 'text'> {
  return format === 'sarif' ? { document: problemsSarif(checked) } : { text: problemsJunit(checked) };
}
