import { DISCLOSE_ALL } from '../../core/model/destinations.ts';
import type { Change } from '../../core/model/plan.ts';
import type { ChangeName } from '../../core/model/report.ts';
import { changeDocument, type ChangeDocument } from '../../core/plan/document/document.ts';
import { describeChange } from '../../core/plan/render/describe.ts';
import { subjectOf } from '../../core/plan/render/drift.ts';

/** Values of a change, as in the document of the plan. */
interface ItemValues {
  readonly from?: ChangeDocument['observed'];
  readonly to?: ChangeDocument['desired'];
}

/** Returns the action and the item: `update alias sales of acme.example`. */
export function nameOf({ action, kind, domain, name }: ChangeName): string {
  return `${action} ${subjectOf({ kind, domain, name })}`;
}

/** Returns the live and the desired value. Returns nothing if the plan does not have the change. */
export function valuesOf(change: Change | undefined): ItemValues {
  if (change === undefined) return {};
  const { observed, desired } = fullDocument(change);
  return { from: observed, to: desired };
}

/** Describes an item: `update alias sales of acme.example: bob@corp.example -> carol@corp.example`. */
export function textOfItem(item: ChangeName, change: Change | undefined): string {
  const { text } = change === undefined ? { text: '' } : describeChange(fullDocument(change));
  return text === '' ? nameOf(item) : `${nameOf(item)}: ${text}`;
}

/** Returns the values of a change made outside fwdsync: from the manifest's value to the live one. */
export function driftValues(change: Change): ItemValues {
  const { from = null, to = null } = valuesOf(change);
  return { from: to, to: from };
}

/** Returns the full document of a change. Every line of the log is concealed as a whole. */
export function fullDocument(change: Change): ChangeDocument {
  return changeDocument(change, DISCLOSE_ALL);
}
