import { showText } from '../../../core/model/destinations.ts';
import type { RunEntry } from '../../../core/model/history/entries.ts';
import { escapeInvisible } from '../../../core/model/names.ts';
import type { Decision } from '../../../engine/decide.ts';
import type { Planned } from '../../../engine/plan-once.ts';
import { describeOrigin } from '../../../engine/undo/later-changes.ts';
import type { Context } from '../../context.ts';
import { disclosureFor, type Session } from '../../input/session.ts';
import { printStateWarnings } from '../../input/state/open-states.ts';
import { documentOf, planText, shownPlan } from '../../output/plan/print-plan.ts';
import { columnsOf } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';
import { wrapSentence } from '../../../core/plan/render/wrap.ts';

/** Shows which run is undone, the plan that does it, and what stays as it is and why. */
export function showUndo(
  context: Context,
  session: Session,
  run: RunEntry,
  { yes }: { readonly yes?: true },
): (decision: Decision, planned: Planned) => void {
  const stream = context.format === 'json' ? context.stderr : context.stdout;
  const style = styleFor(stream, context.color);
  return (decision, planned) => {
    session.progress.stop();
    printStateWarnings(context, planned);
    if (context.format === 'json' && yes === true) return;
    const { leftAlone, notes } = planned;
    const disclosure = disclosureFor(session, planned);
    const safe = (text: string): string => escapeInvisible(showText(text, disclosure));
    stream.write(`Undo of ${run.command} ${run.run}: ${safe(describeOrigin(run))}\n\n`);
    stream.write(planText(context, documentOf(context, session, shownPlan(decision, planned)), stream));
    const left = leftAlone.map(({ kind, domain, name, reason }) => {
      const what = kind === 'domain' ? name : `${domain}/${name}`;
      return `  ${kind} ${safe(what)}: ${safe(reason)}\n`;
    });
    if (left.length > 0) stream.write(`\n${style.warning('Left alone')}:\n${left.join('')}`);
    for (const note of notes) {
      const lines = wrapSentence(`note: ${safe(note)}`, columnsOf(stream));
      stream.write(`\n${lines.join('\n')}\n`);
    }
  };
}
