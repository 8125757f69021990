import type { FullClient } from '../../api/create.ts';
import { observeSections } from '../../api/observe-sections.ts';
import { routerOf } from '../../manifest/check/routing-table.ts';
import { normaliseDestination } from '../../model/destinations.ts';
import { parseDomainName, quote, type DomainName } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { ObservedAlias, ObservedRule } from '../../model/resources.ts';
import { createRouter, type Anchoring, type Mail, type RoutingTable } from '../../routing/route.ts';
import { answerAbout, answerOf, connect } from '../input/connect.ts';
import type { Context } from '../context.ts';
import { invalidManifest, readDesired } from '../input/desired.ts';
import { discloseManifest, openDisclosure } from '../output/disclose.ts';
import { EXIT, type ExitCode, usageError } from '../exit.ts';
import { DOCUMENT_FORMATS } from '../output/formats.ts';
import { disclosureOf, printJson } from '../output/output.ts';
import { renderRoute, routeDocument, type RouteFindings } from '../output/documents/route-document.ts';
import { resolveConnection, resolveFormat, type CommonOptions } from '../settings.ts';

export interface RouteOptions extends CommonOptions {
  readonly from?: string;
  readonly subject?: string;
  readonly body?: string;
  readonly live?: true;
}

/** Shows where a message would go and which alias or rule matches it: by the manifest, offline, or by the live account. */
export async function routeCommand(
  context: Context,
  options: RouteOptions,
  [address = '']: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  const { to, domain } = parseAddress(address);
  const mail = { to, from: options.from ?? '', subject: options.subject ?? '', body: options.body ?? '' };
  if (options.live !== true) assertOffline(options);
  const findings =
    options.live === true
      ? await askAccount(context, options, domain, mail)
      : await askManifest(context, options, domain, mail);
  const document = routeDocument(mail, findings);
  if (format === 'json') printJson(context, document);
  else context.stdout.write(renderRoute(document));
  return EXIT.done;
}

/** An address or an account on the command line says that somebody means the account. */
function assertOffline({ apiUrl, account }: RouteOptions): void {
  const flag = apiUrl !== undefined ? '--api-url' : account !== undefined ? '--account' : null;
  if (flag === null) return;
  throw usageError(
    `${flag} has no meaning without --live: the manifest is asked, not the account`,
    `add --live, or leave ${flag} out`,
  );
}

async function askManifest(
  context: Context,
  options: RouteOptions,
  domain: DomainName,
  mail: Mail,
): Promise<RouteFindings> {
  const { desired, problems } = await readDesired(context, options, {
    references: 'unneeded',
    problems: 'printed',
    unnamed: 'refused',
  });
  if (desired === null) throw invalidManifest(problems);
  const entry = desired.domains.get(domain);
  if (entry?.state !== 'present') {
    const what = entry === undefined ? 'does not name' : 'wants to delete';
    const hint = 'check the spelling, or ask the account with --live';
    throw usageError(`the manifest ${what} ${domain}`, hint);
  }
  const router = routerOf(entry);
  const pruned = entry.aliases?.prune === true && entry.rules?.prune === true;
  return {
    basis: 'manifest',
    found: router.route(mail, 'anywhere'),
    whole: router.route(mail, 'whole'),
    notes: pruned
      ? []
      : ['live aliases and rules that the manifest does not name are not considered (use --live)'],
    disclosure: disclosureOf(desired, options, context),
  };
}

async function askAccount(
  context: Context,
  options: RouteOptions,
  domain: DomainName,
  mail: Mail,
): Promise<RouteFindings> {
  const disclosure = await discloseManifest(context, options);
  const connection = await resolveConnection(options, {}, context);
  const client = connect(context, connection, 'read-only');
  try {
    const { live, aliases, rules } = await readRouting(client, domain);
    const router = createRouter({ aliases, rules, ...engineOf(live) });
    const route = (anchoring: Anchoring): RouteFindings['found'] =>
      live.routingEngine === null ? { kind: 'refused' } : router.route(mail, anchoring);
    const found = route('anywhere');
    const disclose = await openDisclosure(context, options, {
      disclosure,
      client,
      connection,
      command: 'route',
    });
    return {
      basis: 'account',
      found,
      whole: route('whole'),
      notes: liveNotes(live),
      disclosure: disclose(found.kind === 'refused' ? '' : found.forward.join(' ')),
    };
  } finally {
    await client.close();
  }
}

interface LiveRouting {
  readonly live: ObservedDomain;
  readonly aliases: readonly ObservedAlias[];
  /** In the order of evaluation. */
  readonly rules: readonly ObservedRule[];
}

async function readRouting(client: FullClient, domain: DomainName): Promise<LiveRouting> {
  const live = await answerAbout(client, domain, await client.getDomain(domain));
  const sections = answerOf(await observeSections(client, domain, ['aliases', 'rules']));
  const { aliases = [], rules = [] } = sections;
  return { live, aliases, rules: rules.toSorted((a, b) => a.rank - b.rank) };
}

/** The engine that the domain uses, or both where the API does not say. */
function engineOf({ routingEngine, rulesFallbackEmail = null }: ObservedDomain): Engine {
  if (routingEngine === 'alias') return { mode: 'aliases', fallback: null };
  if (routingEngine === 'rules') {
    const fallback = rulesFallbackEmail === null ? null : normaliseDestination(rulesFallbackEmail);
    return { mode: 'rules', fallback };
  }
  return { mode: 'rules-then-aliases', fallback: null };
}

type Engine = Pick<RoutingTable<ObservedAlias, ObservedRule>, 'mode' | 'fallback'>;

function liveNotes({ routingEngine, banned, forwardingReady }: ObservedDomain): readonly string[] {
  return [
    ...(routingEngine === null ? ['routing of the domain is disabled'] : []),
    ...(routingEngine === undefined ? ['the API does not show whether rules or aliases are used'] : []),
    ...(banned === true ? ['the domain is banned: nothing is forwarded'] : []),
    ...(forwardingReady === false
      ? ['its MX records do not point to the service: no mail arrives there']
      : []),
  ];
}

function parseAddress(address: string): { readonly to: string; readonly domain: DomainName } {
  const at = address.lastIndexOf('@');
  const domain = parseDomainName(address.slice(at + 1));
  if (at < 1 || !domain.ok) {
    const what = `${quote(address)} is not an address`;
    throw usageError(what, 'write it whole, such as sales@acme.example');
  }
  return { to: `${address.slice(0, at)}@${domain.value}`, domain: domain.value };
}
