import { presentEntries, type PresentDomain } from '../../core/model/desired.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import type { RoutedAlias, RoutedRule } from '../../core/routing/route.ts';

/** What routes the mail of one domain at one time. */
export interface RoutingState {
  readonly aliases: readonly StatedAlias[];
  /** In the order of evaluation. */
  readonly rules: readonly StatedRule[];
  /** Whether the domain has no others than these. */
  readonly hasOthers: { readonly aliases: boolean; readonly rules: boolean };
}

export interface StatedAlias extends RoutedAlias {
  readonly source: Source | null;
}

export interface StatedRule extends RoutedRule {
  readonly name: string;
  readonly source: Source | null;
  /** It was changed or deleted since: its rank then. Where among the others it stood is not known. */
  readonly lostPlace?: number;
}

/** As the manifest wants it. A section that is not pruned may have others in the account, and one that it does not name too. */
export function wantedState({ aliases, rules }: PresentDomain): RoutingState {
  return {
    aliases: presentEntries(aliases),
    rules: presentEntries(rules),
    hasOthers: { aliases: aliases?.prune !== true, rules: rules?.prune !== true },
  };
}
