import type { ImportedAlias, ImportedDomain, LeftOut } from '../manifest/import/translated.ts';
import { routerOf } from '../manifest/check/routing-table.ts';
import { shownText } from '../manifest/import/shown-text.ts';
import { REASON_WORDS } from '../manifest/import/reasons.ts';
import type { LeftOutReason } from '../manifest/import/forwards.ts';
import { sourceOf } from '../manifest/read/text.ts';
import type { Desired } from '../model/desired.ts';
import { normaliseDestination, sameDestinations, type Destination } from '../model/destinations.ts';
import { showSource } from '../model/manifest/problem.ts';
import { isPatternName, nameKey, type DomainName } from '../model/names.ts';
import { endsOf, follow } from '../routing/follow.ts';
import { commonWords, machineOf } from '../routing/overlaps/common-words.ts';
import { isOneWay } from '../routing/route.ts';
import type { Inventory } from './observation.ts';

export interface InventoryQuestion {
  readonly desired: Pick<Desired, 'domains'>;
  readonly domain: DomainName;
  /** The domain's forwards in the old system; null means that no file was given. */
  readonly imported: ImportedDomain | null;
  /** Shows destinations to people. */
  readonly show: (destinations: readonly Destination[]) => string;
  /** Shows an address to people. */
  readonly showAddress: (address: string) => string;
}

/** An address of the old system, and where its mail ends there. */
export interface FormerAddress {
  readonly address: string;
  readonly ends: readonly Destination[];
}

/** Compares every forward of the old system with where the manifest sends its mail. */
export function takeInventory(question: InventoryQuestion): Inventory {
  const { imported, domain } = question;
  if (imported === null) return { compared: null, differences: [], notices: [], addresses: [] };
  const router = createEnds(question.desired);
  const found = [
    ...imported.aliases.map((alias) => compareAlias(question, router, alias)),
    ...imported.leftOut.map((missing) => compareLeftOut(question, router, missing)),
  ];
  return {
    compared: found.filter(({ kind }) => kind !== 'nothing').length,
    differences: found.flatMap((one) => (one.kind === 'different' ? [one.line] : [])),
    notices: found.flatMap((one) => (one.kind === 'same' && one.notice !== undefined ? [one.notice] : [])),
    addresses: formerAddresses(imported, domain).map(({ address }) => address),
  };
}

/** Returns the addresses of the old system that are no patterns. */
export function formerAddresses({ aliases }: ImportedDomain, domain: DomainName): readonly FormerAddress[] {
  return aliases
    .filter(({ name }) => name !== '*' && !isPatternName(name))
    .map(({ name, forward }) => ({ address: `${nameKey(name)}@${domain}`, ends: destinationsOf(forward) }));
}

/** Returns where mail ends by the manifest; see `EndsAt`. */
export function endsIn(desired: Pick<Desired, 'domains'>): Pick<EndsAt, 'at' | 'of'> {
  return createEnds(desired);
}

type Compared =
  | { readonly kind: 'same'; readonly notice?: string }
  | { readonly kind: 'different'; readonly line: string }
  /** The old system delivers nothing there. */
  | { readonly kind: 'nothing' };

function compareAlias(
  { domain, show, showAddress }: InventoryQuestion,
  endsAt: EndsAt,
  { name, forward, span }: ImportedAlias,
): Compared {
  const samples = samplesOf(name);
  const wanted = endsAt.of(destinationsOf(forward));
  const place = showSource(sourceOf(span));
  const shown = showAddress(`${shownText(name)}@${domain}`);
  if (samples === null)
    return { kind: 'different', line: `${place}: ${shown}: this pattern cannot be compared` };
  for (const local of samples) {
    const ends = endsAt.at(`${local}@${domain}`);
    if (ends !== null && sameDestinations(ends, wanted ?? [])) continue;
    const here = ends === null ? 'is not known' : ends.length === 0 ? 'is refused' : `goes to ${show(ends)}`;
    return {
      kind: 'different',
      line: `${place}: ${shown} goes to ${show(wanted ?? [])} in the old system, and ${here} in the manifest`,
    };
  }
  return { kind: 'same' };
}

/** Reasons for which the old system itself delivers nothing. */
const NOTHING: ReadonlySet<LeftOutReason> = new Set(['disabled', 'duplicate', 'refused', 'syntax']);

/** A forward that no manifest can have, such as a mailbox: the manifest must name its address. */
function compareLeftOut(
  { domain, showAddress }: InventoryQuestion,
  endsAt: EndsAt,
  { address, span, reason, isPart }: LeftOut,
): Compared {
  if (NOTHING.has(reason)) return { kind: 'nothing' };
  const { message } = REASON_WORDS[reason];
  const shown = address === null ? 'this line' : showAddress(shownText(address));
  const line = `${showSource(sourceOf(span))}: ${shown}: ${message}`;
  const isNamed = address !== null && isDeliveredByName(endsAt, address, domain);
  if (isNamed && isPart !== true) return { kind: 'same', notice: `${line}; the manifest names it` };
  return { kind: 'different', line };
}

function isDeliveredByName(endsAt: EndsAt, address: string, domain: DomainName): boolean {
  const isOne = address.endsWith(`@${domain}`) && !/[*()|[\]]/.test(address);
  return isOne && endsAt.isNamed(address) && (endsAt.at(address)?.length ?? 0) > 0;
}

/** Returns local parts that stand for all that an alias takes; null means that there are none. */
function samplesOf(name: string): readonly string[] | null {
  if (name === '*') return [UNNAMED];
  if (!isPatternName(name)) return [name];
  const [own, every] = [machineOf(name), machineOf('.+')];
  if (own === null || every === null) return null;
  const words = [...commonWords(own, every, { left: 20_000 }).take(MOST_SAMPLES)];
  return words.length === 0 ? null : words;
}

const MOST_SAMPLES = 20;
/** A local part that is most unlikely to be an alias. */
const UNNAMED = 'fwdsync-move-no-such-name-7f3a9c';

interface EndsAt {
  /** Returns where mail to an address ends; empty means refused, null means that it is not known. */
  readonly at: (address: string) => readonly Destination[] | null;
  /** Returns where mail to these destinations ends. */
  readonly of: (destinations: readonly Destination[]) => readonly Destination[] | null;
  /** True if an alias has the name of the address, or a rule takes it. */
  readonly isNamed: (address: string) => boolean;
}

function createEnds(desired: Pick<Desired, 'domains'>): EndsAt {
  const routers = new Map<string, ReturnType<typeof routerOf> | null>();
  const routerAt = (domain: string): ReturnType<typeof routerOf> | null => {
    const known = routers.get(domain);
    if (known !== undefined) return known;
    const entry = desired.domains.get(domain as DomainName);
    const made = entry?.state === 'present' ? routerOf(entry) : null;
    routers.set(domain, made);
    return made;
  };
  const of = (to: readonly string[]): readonly Destination[] | null => {
    const hops = follow(to, NO_TEXT, (domain) => {
      const router = routerAt(domain);
      if (router === null) return 'outside';
      return (mail) => {
        const routes = router.routes(mail);
        return isOneWay(routes) ? routes[0] : 'unknown';
      };
    });
    const ends = endsOf(hops);
    return ends.unknown.length > 0 ? null : ends.to;
  };
  return {
    at: (address) => of([address]),
    of,
    isNamed(address) {
      const route = routerAt(address.slice(address.lastIndexOf('@') + 1))?.route({ to: address, ...NO_TEXT });
      if (route?.kind === 'alias') return route.by === 'name' || route.by === 'plus-address';
      return route?.kind === 'rule';
    },
  };
}

const NO_TEXT = { from: '', subject: '', body: '' };

/** Returns the destinations of an imported forward in normal form. */
function destinationsOf(forward: readonly string[]): readonly Destination[] {
  return forward.map((text) => normaliseDestination(text === 'discard' ? 'null' : text));
}
