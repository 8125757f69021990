import type { FullClient } from '../../../client/create.ts';
import type { Desired, PresentDomain } from '../../../core/model/desired.ts';
import { isDiscard, type Disclosure } from '../../../core/model/destinations.ts';
import { domainPartOf, nameKey, type DomainName } from '../../../core/model/names.ts';
import { liveEngineOf, type ObservedDomain } from '../../../core/model/observed.ts';
import { endsOf } from '../../../core/routing/follow.ts';
import type { Mail } from '../../../core/routing/route.ts';
import type { WhyTaker, WhyWay } from '../../../service/why/evidence.ts';
import { CommandError } from '../../exit.ts';
import type { RouteFindings, TracedHop } from '../../output/documents/route-document.ts';
import { ruleNamer, traceLive } from '../route/account.ts';
import { traceDesired } from '../route/manifest.ts';

/** A way that mail goes, and what tells how much it says. */
export interface FoundWay {
  readonly way: WhyWay;
  /** True if an alias takes it by its name. */
  readonly isByName: boolean;
  /** The domains that the mail passes. */
  readonly domains: readonly DomainName[];
  /** The domains of the addresses where it ends. */
  readonly ends: readonly string[];
}

/** Returns the way by the manifest; null means that it does not name the domain. */
export function manifestWay(
  desired: Desired | null,
  mail: Mail,
  live: ObservedDomain | null,
  disclosure: Disclosure,
): FoundWay | null {
  if (presentDomain(desired, mail.to) === null || desired === null) return null;
  const { hops, readings } = traceDesired(desired, mail, disclosure);
  const engine = liveEngineOf(live ?? undefined);
  const decided = engine === 'alias' || engine === 'rules' ? readings?.[engine] : undefined;
  const isOpen = readings !== null && decided === undefined;
  const found = foundWay(decided ?? hops, desired, isOpen);
  // A reference that is not set stands for itself.
  const isSet = found.way.to.every(
    (destination) => desired.references.get(destination)?.shown !== destination,
  );
  return isSet ? found : { ...found, way: { ...found.way, outcome: 'unknown' } };
}

/** The way by the account; `missing` says why it is not known. */
export interface ReadWay {
  readonly found: FoundWay | null;
  readonly missing: string | null;
}

/** Reads the domains that mail passes, one after the other. */
export async function accountWay(
  client: FullClient,
  mail: Mail,
  live: ObservedDomain,
  desired: Desired | null,
): Promise<ReadWay> {
  try {
    const { traces } = await traceLive(client, mail, live, ruleNamer(desired));
    return { found: foundWay(traces.hops, desired, traces.readings !== null), missing: null };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { found: null, missing: error.message };
  }
}

function foundWay(hops: RouteFindings['hops'], desired: Desired | null, isOpen: boolean): FoundWay {
  const { to, unknown, loops } = endsOf(hops);
  const [first] = hops;
  const route = first?.kind === 'routed' ? first.route : null;
  const outcome =
    isOpen || unknown.length > 0
      ? 'unknown'
      : to.length === 0
        ? loops.length > 0
          ? 'loop'
          : 'refused'
        : isDiscard(to)
          ? 'discarded'
          : 'delivered';
  const forward = route === null || route.kind === 'refused' ? [] : route.forward;
  return {
    way: { outcome, to, forward, by: takerOf(first, desired) },
    isByName: route?.kind === 'alias' && (route.by === 'name' || route.by === 'plus-address'),
    domains: passedDomains(hops),
    ends: endDomains(hops),
  };
}

function passedDomains(hops: RouteFindings['hops']): readonly DomainName[] {
  const passed = hops.filter(({ kind }) => kind === 'routed' || kind === 'unknown');
  return [...new Set(passed.map(({ address }) => domainPartOf(address) as DomainName))];
}

function endDomains(hops: RouteFindings['hops']): readonly string[] {
  const ends = hops.filter(({ kind, address }) => kind === 'delivered' && !address.includes('://'));
  return [...new Set(ends.map(({ address }) => domainPartOf(address)))];
}

function takerOf(hop: TracedHop | undefined, desired: Desired | null): WhyTaker | null {
  if (hop?.kind !== 'routed') return null;
  const { route, address } = hop;
  const domain = presentDomain(desired, address);
  switch (route.kind) {
    case 'alias': {
      const { name } = route.alias;
      const source = route.alias.source ?? domain?.aliases?.entries.get(nameKey(name))?.source ?? null;
      return { kind: 'alias', name, source };
    }
    case 'rule': {
      const { name = null, id } = route.rule;
      const named = domain?.rules?.entries.find((entry) => name !== null && entry.name === name);
      return { kind: 'rule', name: name ?? id, source: route.rule.source ?? named?.source ?? null };
    }
    case 'fallback':
      return { kind: 'fallback', name: null, source: null };
    case 'refused':
      return null;
  }
}

function presentDomain(desired: Desired | null, address: string): PresentDomain | null {
  const entry = desired?.domains.get(domainPartOf(address) as DomainName);
  return entry?.state === 'present' ? entry : null;
}

/** False if what takes the mail in the account is nothing that the manifest manages, and the manifest has nothing of that name. */
export function isManagedWay(
  desired: Desired | null,
  address: string,
  wanted: FoundWay | null,
  actual: FoundWay | null,
): boolean {
  const domain = presentDomain(desired, address);
  const by = actual?.way.by ?? null;
  if (wanted?.isByName === true || by === null || by.source !== null) return true;
  if (by.kind === 'fallback') return wanted?.way.by !== null;
  return (by.kind === 'alias' ? domain?.aliases : domain?.rules)?.prune === true;
}
