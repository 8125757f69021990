import { countedItems } from '../../engine/apply/report/report-text.ts';
import type { CompletedRun } from '../../core/model/status/daemon.ts';
import { countActions, withholdRefused } from '../../core/plan/withhold.ts';
import { withholdChanges } from '../daemon/account-run.ts';

/**
 * Counts what a run did, or would do if it only observed, and how many changes are withheld: `1 added, 3 withheld`.
 */
export function countRun(run: CompletedRun): { readonly text: string; readonly withheld: number } {
  const { plan, report, frozen, unset } = run;
  const rest = withholdChanges(withholdRefused(plan), new Set(frozen)).plan.changes;
  const pending = rest.filter((change) => !unset.includes(change));
  const withheld = plan.changes.length - pending.length;
  const counts = report === null ? pendingCounts(pending) : countedItems(report);
  const parts = withheld === 0 ? counts : [...counts, `${withheld} withheld`];
  return { text: parts.join(', ') || 'no changes', withheld };
}

function pendingCounts(changes: CompletedRun['plan']['changes']): readonly string[] {
  const counts = countActions(changes);
  return (['add', 'update', 'move', 'delete'] as const)
    .filter((action) => counts[action] > 0)
    .map((action) => `${counts[action]} to ${action}`);
}
