import type { ShowForward } from '../../model/manifest/manifest-document.ts';
import type { RuleDocument, RuleState } from './fields.ts';

/** A live rule as a manifest writes it. */
export function ruleDocument(
  { id, match, forward, active }: Omit<RuleState, 'rank'> & { readonly id: string | null },
  name: string,
  show: ShowForward,
): RuleDocument {
  const { type: _, ...condition } = match;
  return {
    name,
    ...(id === null ? {} : { id }),
    ...condition,
    forward: show(forward),
    ...(active ? {} : { active }),
  };
}
