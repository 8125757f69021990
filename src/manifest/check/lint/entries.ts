import type { PresentDomain } from '../../../model/desired.ts';
import type { PresentAlias, PresentRule } from '../../../model/resources.ts';

export function presentAliases({ aliases }: PresentDomain): readonly PresentAlias[] {
  const present: PresentAlias[] = [];
  for (const alias of aliases?.entries.values() ?? []) if (alias.state === 'present') present.push(alias);
  return present;
}

/** In the order of evaluation. */
export function activeRules({ rules }: PresentDomain): readonly PresentRule[] {
  return (rules?.entries ?? []).filter((rule) => rule.state === 'present').filter(({ active }) => active);
}
