import type { FullClient } from '../../../client/create.ts';
import { observeSections } from '../../../client/observe-sections.ts';
import { DISCARD, normaliseDestination, type Destination } from '../../../core/model/destinations.ts';
import { idKey } from '../../../core/model/item-key.ts';
import { presentEntries, type Desired } from '../../../core/model/desired.ts';
import type { DomainName } from '../../../core/model/names.ts';
import { liveEngineOf, type ObservedDomain } from '../../../core/model/observed.ts';
import type { ObservedRule } from '../../../core/kinds/rule/fields.ts';
import { conditionKey } from '../../../core/plan/routes/sides.ts';
import type { Mail } from '../../../core/routing/route.ts';
import type { Context } from '../../context.ts';
import { answerAbout, answerOf, connect } from '../../input/connect.ts';
import { discloseManifest, openDisclosure } from '../../output/disclose.ts';
import type { FoundRule, RouteFindings } from '../../output/documents/route-document.ts';
import { resolveConnection } from '../../settings/connection.ts';
import type { Settings } from '../../settings/resolve-settings.ts';
import { traceMail, type KnownDomain } from './trace.ts';

/** Traces a message by the live account, through all of its domains. */
export async function askAccount(
  context: Context,
  settings: Settings,
  domain: DomainName,
  mail: Mail,
): Promise<RouteFindings> {
  const { disclosure, desired } = await discloseManifest(context, settings.manifest);
  const connection = await resolveConnection(context, settings, {});
  const client = connect(context, connection, 'read-only');
  try {
    const first = await answerAbout(client, domain, await client.getDomain(domain));
    const { traces, passed } = await traceLive(client, mail, first, ruleNamer(desired));
    const disclose = await openDisclosure(context, settings.state, {
      disclosure,
      client,
      connection,
      command: 'route',
    });
    return {
      basis: 'account',
      ...traces,
      notes: passed.flatMap((live) => liveNotes(live, domain)),
      disclosure: disclose(valuesIn(traces)),
    };
  } finally {
    await client.close();
  }
}

type Traces = ReturnType<typeof traceMail>;

interface LiveDomain extends KnownDomain {
  readonly live: ObservedDomain;
}

/** Reads each domain when a message first reaches it, until the way is known. */
export async function traceLive(
  client: FullClient,
  mail: Mail,
  first: ObservedDomain,
  nameRules: NameRules,
): Promise<{ readonly traces: Traces; readonly passed: readonly ObservedDomain[] }> {
  const read = new Map<string, LiveDomain | null>([
    [first.domain, await readDomain(client, first, nameRules)],
  ]);
  for (;;) {
    const missing = new Set<string>();
    const traces = traceMail(mail, (domain) => {
      const known = read.get(domain);
      if (known === undefined) missing.add(domain);
      return known ?? null;
    });
    if (missing.size === 0) {
      const passed = [...read.values()].flatMap((domain) => (domain === null ? [] : [domain.live]));
      return { traces, passed };
    }
    for (const domain of missing) {
      const found = answerOf(await client.listDomains({ query: domain }));
      const live = found.find((row) => row.domain === domain);
      read.set(domain, live === undefined ? null : await readDomain(client, live, nameRules));
    }
  }
}

async function readDomain(
  client: FullClient,
  live: ObservedDomain,
  nameRules: NameRules,
): Promise<LiveDomain> {
  const sections = answerOf(await observeSections(client, live.domain, decidingSections(live)));
  const { aliases = [], rules = [] } = sections;
  return {
    live,
    aliases,
    rules: nameRules(
      live.domain,
      rules.toSorted((a, b) => a.rank - b.rank),
    ),
    engine: liveEngineOf(live),
    fallback: fallbackOf(live),
  };
}

/** Returns the sections that decide. Both do if the service does not tell which engine is used. */
function decidingSections(live: ObservedDomain): readonly ('aliases' | 'rules')[] {
  switch (liveEngineOf(live)) {
    case 'alias':
      return ['aliases'];
    case 'rules':
      return ['rules'];
    case 'none':
      return [];
    case null:
      return ['aliases', 'rules'];
  }
}

/** Gives the live rules of a domain the names that the manifest has for them. */
type NameRules = (domain: DomainName, rules: readonly ObservedRule[]) => readonly FoundRule[];

/** Names rules by their id, or else by their content if exactly one entry has it. */
export function ruleNamer(desired: Desired | null): NameRules {
  return (domain, rules) => {
    const wanted = desired?.domains.get(domain);
    const entries = wanted?.state === 'present' ? presentEntries(wanted.rules) : [];
    const byId = new Map(entries.map((entry) => [idKey(entry.id), entry.name]));
    const live = new Set(rules.map(({ id }) => idKey(id)));
    const byContent = Map.groupBy(
      entries.filter(({ id }) => !live.has(idKey(id))),
      contentKey,
    );
    return rules.map((rule) => {
      const same = byContent.get(contentKey(rule)) ?? [];
      const name = byId.get(idKey(rule.id)) ?? (same.length === 1 ? same[0]?.name : undefined);
      return name === undefined ? rule : { ...rule, name };
    });
  };
}

function contentKey({ match, forward }: Pick<ObservedRule, 'match' | 'forward'>): string {
  return JSON.stringify([conditionKey(match), forward.toSorted()]);
}

/**
 * Returns the fallback of a domain; null means not known. A null in the account drops the mail (field notes: rules
 * mode).
 */
function fallbackOf({ rulesFallbackEmail: fallback }: ObservedDomain): Destination | null {
  if (fallback === undefined) return null;
  return fallback === null ? DISCARD : normaliseDestination(fallback);
}

function valuesIn({ hops, readings, doubts }: Traces): string {
  const all = [hops, readings?.alias ?? [], readings?.rules ?? [], ...doubts.map((doubt) => doubt.hops)];
  return all.flatMap((way) => way.map(({ address }) => address)).join(' ');
}

function liveNotes(
  { domain, routingEngine, banned, forwardingReady }: ObservedDomain,
  asked: DomainName,
): readonly string[] {
  const notes = [
    ...(routingEngine === null ? ['routing of the domain is disabled'] : []),
    ...(routingEngine === undefined ? ['the API does not show whether rules or aliases are used'] : []),
    ...(banned === true ? ['the domain is banned: nothing is forwarded'] : []),
    ...(forwardingReady === false
      ? ['its MX records do not point to the service: no mail arrives there']
      : []),
  ];
  return domain === asked ? notes : notes.map((note) => `${domain}: ${note}`);
}
