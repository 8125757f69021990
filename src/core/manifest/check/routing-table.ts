import { presentEntries, type PresentDomain } from '../../model/desired.ts';
import type { PresentAlias } from '../../kinds/alias/fields.ts';
import type { PresentRule } from '../../kinds/rule/fields.ts';
import { createRouter, type Router } from '../../routing/route.ts';

export type DomainRouter = Router<PresentAlias, PresentRule>;

/**
 * Creates the router that a manifest describes. Offline the domain's routing engine is unknown: active rules are
 * evaluated first, and other mail goes to the aliases.
 */
export function routerOf(domain: PresentDomain): DomainRouter {
  return createRouter({
    aliases: presentEntries(domain.aliases),
    rules: presentEntries(domain.rules),
    mode: 'rules-then-aliases',
    fallback: null,
  });
}
