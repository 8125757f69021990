import type { PresentDomain } from '../../../model/desired.ts';
import type { PresentAlias, PresentRule } from '../../../model/resources.ts';

export function presentAliases({ aliases }: PresentDomain): readonly PresentAlias[] {
  return [...(aliases?.entries.values() ?? [])].filter((alias) => alias.state === 'present');
}

/** In the order of evaluation. */
export function activeRules({ rules }: PresentDomain): readonly PresentRule[] {
  return (rules?.entries ?? []).filter((rule) => rule.state === 'present').filter(({ active }) => active);
}
