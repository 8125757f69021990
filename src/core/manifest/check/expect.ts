import { sameDestinations, showDestinations, type Destination } from '../../model/destinations.ts';
import type { Expectation, PresentDomain } from '../../model/desired.ts';
import { domainPartOf, localPartOf, parseDomainName, quote } from '../../model/names.ts';
import type { PresentAlias } from '../../kinds/alias/fields.ts';
import type { PresentRule } from '../../kinds/rule/fields.ts';
import { isOneWay, type Mail, type Route } from '../../routing/route.ts';
import type { Loading } from '../resolve/context.ts';
import { itemsOf, textOf, valueOf, type MapNode, type Node } from '../read/node.ts';
import { routerOf, type DomainRouter } from './routing-table.ts';
import { sourceOf } from '../read/text.ts';

/** Reads the `expect` entries of a domain; unreadable ones are left out. */
export function readExpectations(
  domain: PresentDomain,
  node: MapNode,
  loading: Loading,
): readonly Expectation[] {
  const list = valueOf(node, 'expect');
  const read: Expectation[] = [];
  for (const item of list?.kind === 'list' ? itemsOf(list) : []) {
    const expectation = item.kind === 'map' ? readExpectation(domain, item, loading) : null;
    if (expectation !== null) read.push(expectation);
  }
  return read;
}

/**
 * Compares the manifest's route of each mail with the expected one. If entries of a domain were left out, compares
 * only mail that an alias takes by name, because no other entry can take that mail.
 */
export function checkExpectations(domain: PresentDomain, isWhole: boolean, loading: Loading): void {
  if (domain.expect.length === 0) return;
  const router = routerOf(domain);
  for (const expectation of domain.expect) {
    if (isWhole || isDecidedByName(domain, router, expectation))
      checkExpectation(expectation, router, loading);
  }
}

/** True if an alias takes the mail by its name, and no rule can come before it. */
function isDecidedByName({ rules }: PresentDomain, { route }: DomainRouter, mail: Mail): boolean {
  const taken = route(mail);
  return rules === undefined && taken.kind === 'alias' && taken.by === 'name';
}

function checkExpectation(expectation: Expectation, router: DomainRouter, loading: Loading): void {
  const found = router.routes(expectation, 'anywhere');
  const whole = router.routes(expectation, 'whole');
  const met = [...found, ...whole].map((route) => isMet(expectation, route));
  if (met.every(Boolean)) return;
  if (met.some(Boolean)) {
    const open = [found, whole].find((routes) => !isOneWay(routes));
    reportAmbiguous(expectation, open ?? [found[0].kind === 'rule' ? found[0] : whole[0]], loading);
    return;
  }
  const { forward } = expectation;
  const wanted = forward.kind === 'refused' ? 'to be refused' : `to go to ${show(forward.forward, loading)}`;
  loading.log.report('expect-failed', expectation.source, {
    message: `mail to ${quote(expectation.to)} is expected ${wanted}, but ${outcome(found[0], loading)}`,
    hint: 'change the alias or rule, or the expectation',
  });
}

type ManifestRoute = Route<PresentAlias, PresentRule>;

/**
 * Reports mail whose route is uncertain: the service may take several routes, or read a rule's pattern in two ways.
 */
function reportAmbiguous(
  { to, source }: Expectation,
  routes: readonly [ManifestRoute, ...ManifestRoute[]],
  loading: Loading,
): void {
  const [first, ...others] = routes;
  const isPattern = others.length === 0;
  loading.log.report('expect-ambiguous', source, {
    message: isPattern
      ? `the destination of mail to ${quote(to)} depends on how the service matches ${describe(first)}`
      : `the destination of mail to ${quote(to)} is not known: ${routes.map((route) => outcome(route, loading)).join(', or ')}`,
    hint: isPattern
      ? 'write the regex as .*PATTERN.* for a part, or ^PATTERN$ for the whole'
      : 'let only one of them match this address: the service may try patterns in any order',
  });
}

function isMet({ forward }: Expectation, route: ManifestRoute): boolean {
  if (route.kind === 'refused') return forward.kind === 'refused';
  return forward.kind === 'delivered' && sameDestinations(forward.forward, route.forward);
}

function outcome(route: ManifestRoute, loading: Loading): string {
  if (route.kind === 'refused') return 'nothing in the manifest matches it';
  return `${describe(route)} sends it to ${show(route.forward, loading)}`;
}

function describe(route: ManifestRoute): string {
  switch (route.kind) {
    case 'alias':
      return `alias ${quote(route.alias.name)}`;
    case 'rule':
      return `rule ${quote(route.rule.name)}`;
    case 'fallback':
    case 'refused':
      return 'its rules';
  }
}

function show(forward: readonly Destination[], { destinations }: Loading): string {
  return showDestinations(forward, { references: destinations.references, mask: false });
}

function readExpectation(domain: PresentDomain, node: MapNode, loading: Loading): Expectation | null {
  const written = valueOf(node, 'to');
  const to = textOf(written);
  if (written === undefined || !to) return null;
  const host = parseDomainName(domainPartOf(to));
  if (localPartOf(to) === '' || !host.ok || host.value !== domain.domain) {
    loading.log.report('expect-other-domain', written, {
      message: `${quote(to)} is not an address of ${domain.domain}`,
      hint: 'move it to the domain of the address',
    });
    return null;
  }
  const forward = readOutcome(valueOf(node, 'forward'), loading);
  if (forward === null) return null;
  const text = (key: string): string => textOf(valueOf(node, key)) ?? '';
  return {
    source: sourceOf(node),
    to: `${localPartOf(to)}@${domain.domain}`,
    from: text('from'),
    subject: text('subject'),
    body: text('body'),
    forward,
  };
}

function readOutcome(node: Node | undefined, loading: Loading): Expectation['forward'] | null {
  if (textOf(node) === 'refused') return { kind: 'refused' };
  const forward = loading.destinations.resolve(node);
  return forward === null ? null : { kind: 'delivered', forward };
}
