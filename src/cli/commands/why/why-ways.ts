import type { FullClient } from '../../../client/create.ts';
import type { Desired, PresentDomain } from '../../../core/model/desired.ts';
import { isDiscard, type Disclosure } from '../../../core/model/destinations.ts';
import { domainPartOf, type DomainName } from '../../../core/model/names.ts';
import { liveEngineOf, type ObservedDomain } from '../../../core/model/observed.ts';
import { endsOf, type Ends } from '../../../core/routing/follow.ts';
import type { Mail } from '../../../core/routing/route.ts';
import type { WhyWay } from '../../../service/why/evidence.ts';
import { CommandError } from '../../exit.ts';
import type { RouteFindings } from '../../output/documents/route-document.ts';
import { ruleNamer, traceLive } from '../route/ask-account.ts';
import { traceDesired } from '../route/ask-manifest.ts';
import { presentDomain, takerOf } from './taker.ts';

/** A way that mail goes, and what tells how much it says. */
export interface FoundWay {
  readonly way: WhyWay;
  /** True if an alias takes it by its name. */
  readonly isByName: boolean;
  /** The domains that the mail passes. */
  readonly domains: readonly DomainName[];
  /** The domains of the final addresses. */
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
  const ends = endsOf(hops);
  const outcome = isOpen ? 'unknown' : outcomeOf(ends);
  const [first] = hops;
  const route = first?.kind === 'routed' ? first.route : null;
  const forward = route === null || route.kind === 'refused' ? [] : route.forward;
  return {
    way: { outcome, to: ends.to, forward, by: takerOf(first, desired) },
    isByName: route?.kind === 'alias' && (route.by === 'name' || route.by === 'plus-address'),
    domains: passedDomains(hops),
    ends: endDomains(hops),
  };
}

function outcomeOf({ to, unknown, loops }: Ends): WhyWay['outcome'] {
  if (unknown.length > 0) return 'unknown';
  if (to.length === 0) return loops.length > 0 ? 'loop' : 'refused';
  return isDiscard(to) ? 'discarded' : 'delivered';
}

function passedDomains(hops: RouteFindings['hops']): readonly DomainName[] {
  const passed = hops.filter(({ kind }) => kind === 'routed' || kind === 'unknown');
  return [...new Set(passed.map(({ address }) => domainPartOf(address) as DomainName))];
}

function endDomains(hops: RouteFindings['hops']): readonly string[] {
  const ends = hops.filter(({ kind, address }) => kind === 'delivered' && !address.includes('://'));
  return [...new Set(ends.map(({ address }) => domainPartOf(address)))];
}

/** False if what takes the mail in the account is nothing that the manifest manages, and the manifest has nothing of that name. */
export function isManagedWay(
  desired: Desired | null,
  address: string,
  wanted: FoundWay | null,
  actual: FoundWay | null,
): boolean {
  const by = actual?.way.by ?? null;
  if (wanted?.isByName === true || by === null || by.source !== null) return true;
  if (by.kind === 'fallback') return wanted?.way.by !== null;
  return isPruned(presentDomain(desired, address), by.kind);
}

function isPruned(domain: PresentDomain | null, kind: 'alias' | 'rule'): boolean {
  return (kind === 'alias' ? domain?.aliases : domain?.rules)?.prune === true;
}
