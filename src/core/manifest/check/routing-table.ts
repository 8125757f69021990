import { presentEntries, type PresentDomain } from '../../model/desired.ts';
import type { PresentAlias } from '../../kinds/alias/fields.ts';
import type { PresentRule } from '../../kinds/rule/fields.ts';
import { createRouter, type Router } from '../../routing/route.ts';

export type DomainRouter = Router<PresentAlias, PresentRule>;

/** Creates the router that a manifest describes. */
export function routerOf({ aliases, rules }: PresentDomain): DomainRouter {
  return createManifestRouter(presentEntries(aliases), presentEntries(rules));
}

/**
 * Creates a router of entries of a manifest. Offline the domain's routing engine is unknown: active rules are evaluated
 * first, and other mail goes to the aliases.
 */
export function createManifestRouter(
  aliases: readonly PresentAlias[],
  rules: readonly PresentRule[],
): DomainRouter {
  return createRouter({ aliases, rules, mode: 'rules-then-aliases', fallback: null });
}
