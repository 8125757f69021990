import type { Problem } from '../../../model/problem.ts';
import { workflowCommand } from '../../../plan/render/workflow-command.ts';

/** Annotations of GitHub Actions, errors first: a step shows ten of each. */
export function problemsGithub(problems: readonly Problem[]): string {
  return problems
    .toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
    .map(({ severity, code, message, hint, source }) =>
      workflowCommand({ level: severity, title: code, message: `${message}; ${hint}`, source }),
    )
    .join('');
}
