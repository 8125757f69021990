import type { AliasSection } from '../../model/desired.ts';
import { isNameIn, planNamed } from '../../plan/diff/named.ts';
import type { SectionContext, SectionResult } from '../../plan/diff/section.ts';
import { describeForward, fieldText, type ShownChange } from '../../plan/diff/shown.ts';
import { signatureOf } from '../facts.ts';
import { ALIAS, type ObservedAlias } from './fields.ts';

/** Plans the changes of a domain's aliases. */
export function planAliases(
  section: AliasSection,
  live: readonly ObservedAlias[],
  context: SectionContext,
): SectionResult {
  const isName = isNameIn(section, live);
  return planNamed(ALIAS, section, live, context, {
    noteChange(change, row, draft) {
      const made = row?.id !== undefined && isName(row.id) ? { ...change, idIsName: true as const } : change;
      if (row?.name === '*' && signatureOf(ALIAS, row, context.references) === context.prior?.givenCatchAll) {
        // The service made it with the domain, and it has not changed since.
        draft.serviceOwn.push(made);
      }
      return made;
    },
  });
}

/** Describes the change of an alias's destinations. */
export function describeAlias({ observed, desired }: ShownChange): string {
  if (observed !== null && desired !== null) return describeForward(observed, desired);
  return fieldText('forward', observed ?? desired ?? { forward: '' });
}
