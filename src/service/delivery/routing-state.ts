import { presentEntries, type PresentDomain } from '../../core/model/desired.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import type { RoutedAlias, RoutedRule } from '../../core/routing/route.ts';

/** The aliases and rules that route the mail of one domain at one time. */
export interface RoutingState {
  readonly aliases: readonly StatedAlias[];
  /** Rules in order of evaluation. */
  readonly rules: readonly StatedRule[];
  /** True if the account may have other aliases, or other rules, than these. */
  readonly hasOthers: { readonly aliases: boolean; readonly rules: boolean };
}

export interface StatedAlias extends RoutedAlias {
  readonly source: Source | null;
}

export interface StatedRule extends RoutedRule {
  readonly name: string;
  readonly source: Source | null;
  /** The rank that the rule had before it was changed or deleted. Its place among the other rules is unknown. */
  readonly lostPlace?: number;
}

/**
 * Returns the routing that the manifest wants. In a section that is not pruned or not in the manifest, the account may have
 * other entries.
 */
export function wantedState({ aliases, rules }: PresentDomain): RoutingState {
  return {
    aliases: presentEntries(aliases),
    rules: presentEntries(rules),
    hasOthers: { aliases: aliases?.prune !== true, rules: rules?.prune !== true },
  };
}
