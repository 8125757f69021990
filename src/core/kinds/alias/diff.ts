import type { AliasSection } from '../../model/desired.ts';
import type { Rows } from '../../model/resources.ts';
import { isNameIn, planNamed } from '../../plan/diff/named.ts';
import type { SectionContext, SectionResult } from '../../plan/diff/section.ts';
import { describeForward, fieldText, type ShownChange } from '../../plan/diff/shown.ts';
import { signatureOf } from '../facts.ts';
import { ALIAS, type ObservedAlias } from './fields.ts';

/** The difference of the aliases of a domain. */
export function planAliases(
  section: AliasSection,
  live: Rows<ObservedAlias>,
  context: SectionContext,
): SectionResult {
  const isName = isNameIn(section, live);
  return planNamed(
    ALIAS,
    { section, live, context },
    {
      noteChange(change, alias, draft) {
        const made =
          alias !== undefined && isName(alias.id) ? { ...change, idIsName: true as const } : change;
        if (isServiceOwn(alias, context)) draft.serviceOwn.push(made);
        return made;
      },
    },
  );
}

/** True if the service made it with the domain, and nobody has changed it since. */
function isServiceOwn(alias: ObservedAlias | undefined, { prior, references }: SectionContext): boolean {
  const given = prior?.givenCatchAll;
  return alias?.name === '*' && given === signatureOf(ALIAS, alias, references);
}

/** What becomes of its destinations, in words. */
export function describeAlias({ observed, desired }: ShownChange): string {
  if (observed !== null && desired !== null) return describeForward(observed, desired);
  return fieldText('forward', observed ?? desired ?? { forward: '' });
}
