import type { FullClient } from '../../../client/create.ts';
import { errorText } from '../../../client/errors.ts';
import { concernsTheRun } from '../../../client/observe.ts';
import { observeSections } from '../../../client/observe-sections.ts';
import { findLeading, type WhoDomain, type WhoSetting } from '../../../core/manifest/who/leading-entries.ts';
import type { WantedDestination } from '../../../core/manifest/who/wanted.ts';
import type { WhoEntry, WhoFindings } from '../../../core/manifest/who/who.ts';
import { DISCARD, normaliseDestination } from '../../../core/model/destinations.ts';
import { RECEIVING_SETTINGS } from '../../../core/kinds/domain/fields.ts';
import { endpointName } from '../../../core/kinds/endpoints.ts';
import { KINDS, kindOf } from '../../../core/kinds/registry.ts';
import { plural } from '../../../core/model/names.ts';
import { liveEngineOf, type ObservedDomain } from '../../../core/model/observed.ts';
import type { ObservedAlias } from '../../../core/kinds/alias/fields.ts';
import type { ObservedRule } from '../../../core/kinds/rule/fields.ts';
import type { Context } from '../../context.ts';
import { answerOf, apiFailure, assertAccount, connectShown } from '../../input/connect.ts';
import { discloseManifest, openDisclosure } from '../../output/disclose.ts';
import { requestsHeadway } from '../../output/progress/headway.ts';
import { resolveConnection } from '../../settings/connection.ts';
import type { Settings } from '../../settings/resolve-settings.ts';
import type { UnreadDomain, WhoAnswer } from './who-document.ts';

/** Asks the live account, in all of its domains, who sends mail to a destination. */
export async function askAccountWho(
  context: Context,
  settings: Settings,
  wanted: WantedDestination,
): Promise<WhoAnswer> {
  const { disclosure, desired } = await discloseManifest(context, settings.manifest);
  const connection = await resolveConnection(context, settings, desired?.api ?? {});
  const { client, progress } = connectShown(context, connection, 'read-only');
  try {
    await assertAccount(client, connection);
    const listed = answerOf(await client.listDomainsWithAliases());
    const foreseen = readsOf(listed, client.version);
    const headway = requestsHeadway(context, client, { label: 'reading', foreseen });
    context.stderr.write(`${forecastText(listed.length, foreseen, headway.left())}\n`);
    progress.follow(headway);
    const { domains, unread } = await readDomains(client, listed);
    progress.stop();
    const findings = findInAccount(domains, wanted);
    const live = { disclosure, client, connection, command: 'who' } as const;
    const disclose = await openDisclosure(context, settings.state, live);
    return {
      basis: 'account',
      destination: wanted.text,
      ...findings,
      isRouted: domains.some(({ domain }) => wanted.text.endsWith(`@${domain}`)),
      unread,
      disclosure: disclose([wanted.text, ...findings.entries.flatMap(addressesOf)].join(' ')),
    };
  } finally {
    progress.stop();
    await client.close();
  }
}

function addressesOf({ via }: WhoEntry): readonly string[] {
  return via.map(({ name }) => name);
}

/** Returns the sections that decide about a domain's mail and are not in the list of domains. */
function sectionsOf(live: ObservedDomain): readonly ('aliases' | 'rules')[] {
  const engine = liveEngineOf(live);
  if (engine === 'none') return [];
  const aliases = engine === 'rules' || live.aliases !== undefined ? [] : (['aliases'] as const);
  return engine === 'alias' ? aliases : [...aliases, 'rules'];
}

/** Returns the number of listings to read, by endpoint. */
function readsOf(
  listed: readonly ObservedDomain[],
  version: FullClient['version'],
): ReadonlyMap<string, number> {
  const sections = Map.groupBy(listed.flatMap(sectionsOf), (section) =>
    endpointName(version, KINDS[kindOf(section)].wire.list.operation),
  );
  return new Map([...sections].map(([endpoint, reads]) => [endpoint, reads.length]));
}

function forecastText(domains: number, foreseen: ReadonlyMap<string, number>, leftMs: number): string {
  const requests = [...foreseen.values()].reduce((sum, count) => sum + count, 0);
  const seconds = Math.max(1, Math.round(leftMs / 1000));
  return `reading ${plural(domains, 'domain')}: at least ${plural(requests, 'request')}, about ${seconds} s`;
}

async function readDomains(
  client: FullClient,
  listed: readonly ObservedDomain[],
): Promise<{ readonly domains: readonly ObservedDomain[]; readonly unread: readonly UnreadDomain[] }> {
  const read = await Promise.all(
    listed.map(async (live) => ({
      live,
      sections: await observeSections(client, live.domain, sectionsOf(live)),
    })),
  );
  const domains: ObservedDomain[] = [];
  const unread: UnreadDomain[] = [];
  for (const { live, sections } of read) {
    if (sections.ok) domains.push({ ...live, ...sections.value });
    else if (concernsTheRun(sections.error)) throw apiFailure(sections.error);
    else unread.push({ domain: live.domain, reason: errorText(sections.error) });
  }
  return { domains, unread };
}

function findInAccount(domains: readonly ObservedDomain[], wanted: WantedDestination): WhoFindings {
  const { entries, idle, leads } = findLeading(domains.map(whoDomain), wanted.wants);
  const complete = ({
    domain,
    kind,
    name,
    only,
    possible,
    forward,
    pattern,
  }: (typeof entries)[number]): WhoEntry => ({
    domain,
    kind,
    name,
    via: leads
      .passedFrom(forward, pattern)
      .map(({ address }) => ({ kind: 'address' as const, name: address })),
    sources: [],
    only,
    possible,
  });
  return { entries: entries.map(complete), idle: idle.map(complete) };
}

function whoDomain(live: ObservedDomain): WhoDomain<ObservedAlias, ObservedRule, ObservedDomain> {
  const { domain, aliases = [], rules = [], rulesFallbackEmail: fallback } = live;
  return {
    domain,
    aliases: [...aliases],
    rules: rules.toSorted((a, b) => a.rank - b.rank),
    engine: liveEngineOf(live),
    fallback: fallback === undefined ? null : fallback === null ? DISCARD : normaliseDestination(fallback),
    settings: RECEIVING_SETTINGS.flatMap((kind): readonly WhoSetting<ObservedDomain>[] => {
      const value = live[kind];
      return value ? [{ kind, value: normaliseDestination(value), item: live }] : [];
    }),
    nameOfRule: ({ id }) => id,
  };
}
