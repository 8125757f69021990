import type { PlanDocument } from '../document/document.ts';
import { printable } from '../document/printable.ts';
import { replaySentence } from './replay.ts';
import { routesSentence } from './render-routes.ts';
import { countsSentence, forecastSentence, runsInPart, usageSentence } from './totals.ts';
import { workflowCommand, type Annotation } from './workflow-command.ts';

/** Renders a plan as workflow commands of GitHub Actions: refusals first, then findings, then the counts. */
export function renderPlanGithub(document: PlanDocument): string {
  const plan = printable(document);
  const annotations = [
    ...plan.problems.map(({ code, message, hint, source }): Annotation => {
      return { level: 'error', title: code, message: `${message}; ${hint}`, source };
    }),
    ...plan.guards.filter(({ allowed }) => !allowed).map((finding) => annotateGuard(finding, plan)),
    ...plan.withheld.map(({ domain, reason }): Annotation => {
      return { level: 'warning', title: `withheld: ${domain}`, message: reason, source: null };
    }),
    ...plan.warnings.map(({ severity, code, message, hint, source }): Annotation => {
      const said = hint === undefined ? message : `${message}; ${hint}`;
      return { level: severity, title: code, message: said, source };
    }),
    annotateCounts(plan),
  ];
  return annotations.map(workflowCommand).join('');
}

function annotateGuard(
  { guard, scope, message, allow, refuses }: PlanDocument['guards'][number],
  plan: PlanDocument,
): Annotation {
  const isRefusal = refuses && !runsInPart(plan);
  return {
    level: isRefusal ? 'error' : 'warning',
    title: `${isRefusal ? 'refused' : 'withheld'}: ${guard} (${scope})`,
    message: allow === null ? message : `${message}; allow it with ${allow}`,
    source: null,
  };
}

function annotateCounts(plan: PlanDocument): Annotation {
  const sentences = [
    countsSentence(plan),
    routesSentence(plan),
    replaySentence(plan),
    forecastSentence(plan),
    usageSentence(plan),
  ].filter((sentence) => sentence !== null);
  return { level: 'notice', title: 'fwdsync plan', message: sentences.join(' '), source: null };
}
