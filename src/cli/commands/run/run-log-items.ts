import { DISCLOSE_ALL } from '../../../model/destinations.ts';
import type { Change } from '../../../model/plan.ts';
import type { ChangeName } from '../../../model/report.ts';
import { describeChange } from '../../../plan/render/describe.ts';
import { changeDocument, type ChangeDocument } from '../../../plan/document/document.ts';

/** The values of a change, as the plan's document has them. */
interface ItemValues {
  readonly from?: ChangeDocument['observed'];
  readonly to?: ChangeDocument['desired'];
}

export function nameOf({ action, kind, domain, name }: ChangeName): string {
  return `${action} ${subjectOf({ kind, domain, name })}`;
}

/** From what was live to what is wanted; nothing where the plan does not have the change. */
export function valuesOf(change: Change | undefined): ItemValues {
  if (change === undefined) return {};
  const { observed, desired } = documentOf(change);
  return { from: observed, to: desired };
}

/** `update alias sales of acme.example: bob@corp.example -> carol@corp.example`. */
export function describeItem(item: ChangeName, change: Change | undefined): string {
  const { text } = change === undefined ? { text: '' } : describeChange(documentOf(change));
  return text === '' ? nameOf(item) : `${nameOf(item)}: ${text}`;
}

/** The values of what somebody else did: from what the manifest asks for to what is live. */
export function driftValues(change: Change): ItemValues {
  const { from = null, to = null } = valuesOf(change);
  return { from: to, to: from };
}

/** What somebody else did, and to what. */
export function describeDrift(change: Change): string {
  const document = documentOf(change);
  const done = DONE[change.action];
  const { text } = describeChange(
    // A move shows its place, which is the wanted one.
    change.action === 'move'
      ? document
      : { ...document, observed: document.desired, desired: document.observed },
  );
  const what = text === '' ? '' : change.action === 'move' ? `; the manifest has it ${text}` : `: ${text}`;
  return `${subjectOf(change)} was ${done} outside fwdsync${what}`;
}

/** What somebody did so that this action is needed. */
const DONE: Readonly<Record<Change['action'], string>> = {
  add: 'deleted',
  update: 'changed',
  move: 'moved',
  delete: 'added',
};

function subjectOf({ kind, domain, name }: Pick<ChangeName, 'kind' | 'domain' | 'name'>): string {
  return kind === 'domain' ? domain : `${kind} ${name} of ${domain}`;
}

/** Every line of the log is concealed as a whole. */
function documentOf(change: Change): ChangeDocument {
  return changeDocument(change, DISCLOSE_ALL);
}
