import type { ChangeName } from '../../model/report.ts';
import type { ChangeDocument } from '../document/document.ts';
import { describeChange } from './describe.ts';

/** Describes the outside change behind a drift: `alias sales of acme.example was deleted outside fwdsync: …`. */
export function describeDrift(change: ChangeDocument): string {
  const { action, observed, desired } = change;
  // A move shows its place, which is the desired one.
  const isMove = action === 'move';
  const { text } = describeChange(isMove ? change : { ...change, observed: desired, desired: observed });
  const what = text === '' ? '' : isMove ? `; the manifest has it ${text}` : `: ${text}`;
  return `${subjectOf(change)} was ${DONE[action]} outside fwdsync${what}`;
}

/** The outside change that makes each action necessary. */
const DONE: Readonly<Record<ChangeDocument['action'], string>> = {
  add: 'deleted',
  update: 'changed',
  move: 'moved',
  delete: 'added',
};

/** Names the subject of a change: `alias sales of acme.example`. */
export function subjectOf({ kind, domain, name }: Omit<ChangeName, 'action'>): string {
  return kind === 'domain' ? domain : `${kind} ${name} of ${domain}`;
}
