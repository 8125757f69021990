import { endsOfVirtual, type VirtualMap } from './old-side.ts';
import type { PublishedPolicy } from './senders.ts';

export const DOMAIN = 'acme.example';
export const SERVICE = ['mx1.improvmx.com', 'mx2.improvmx.com'];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Properties of a move, drawn once from a seed. */
export interface MoveDraw {
  readonly version: 'v4' | 'v3';
  readonly ttl: number;
  readonly negativeTtl: number;
  readonly zone: { readonly lagsMs: readonly number[]; readonly silent: number | null };
  /** Old MX hosts in order of preference. Empty means that mail goes to the domain's own address. */
  readonly oldHosts: readonly string[];
  readonly hasWildcard: boolean;
  readonly policy: PublishedPolicy | null;
  /** The service accepts a domain only if all MX records are its own. */
  readonly isStrict: boolean;
  readonly catchAllOnCreate: boolean;
  readonly map: VirtualMap;
  /** A local part that the first manifest lacks; null means none. */
  readonly manifestLacks: string | null;
  /** Local parts to which mail is sent. */
  readonly locals: readonly string[];
  readonly endsOf: (local: string) => readonly string[];
  readonly isOldSideUp: (at: number) => boolean;
  readonly isServiceUp: (at: number) => boolean;
  readonly person: Person;
}

export interface Person {
  readonly usesBoth: boolean;
  readonly lowersTtl: boolean;
  /** True if the administrator adds the records for sending as soon as the command shows them. */
  readonly sends: boolean;
  /** Allows the service in the policy, or turns the policy off. */
  readonly policyChange: 'allow' | 'none';
  /** Step that the administrator takes too early; `lowered` means the switch right after the TTL is lowered. null means none. */
  readonly haste: 'switch' | 'lowered' | 'policy' | null;
  /** Gate after which the administrator rolls everything back once; null means never. */
  readonly regret: 'both' | 'switch' | 'receiving' | 'watch' | null;
  /** True if the command is killed sometimes. */
  readonly isKilled: boolean;
}

const CORP = ['ana@corp.example', 'ben@corp.example', 'eve@mail.test', 'ops@corp.example'];

export function randomMove(random: () => number): MoveDraw {
  const chance = (share: number): boolean => random() < share;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const servers = 1 + Math.floor(random() * 4);
  const lagsMs = Array.from({ length: servers }, () => (chance(0.5) ? 0 : Math.floor(random() * 1.5 * HOUR)));
  const oldHosts = pick([[], [`mail.${DOMAIN}`], [`mail.${DOMAIN}`, 'mx.old.example'], ['mx.old.example']]);
  const map = randomMap(pick, chance);
  const named = [...map.keys()].filter((local) => local !== '*');
  return {
    version: chance(0.2) ? 'v3' : 'v4',
    ttl: pick([60, 300, 3600, 7200, 86_400]),
    negativeTtl: pick([60, 900, 3600]),
    zone: { lagsMs, silent: servers > 1 && chance(0.2) ? Math.floor(random() * servers) : null },
    oldHosts,
    hasWildcard: oldHosts.length > 0 && chance(0.3),
    policy: randomPolicy(oldHosts, pick, chance),
    isStrict: chance(0.5),
    catchAllOnCreate: chance(0.5),
    map,
    manifestLacks: chance(0.3) ? pick(named) : null,
    locals: [...named, 'nobody', `${pick(named)}+news`],
    endsOf: (local) => endsOfVirtual(DOMAIN, map, local),
    isOldSideUp: chance(0.3) ? outages(random) : () => true,
    isServiceUp: chance(0.2) ? outages(random) : () => true,
    person: {
      usesBoth: chance(0.7),
      lowersTtl: chance(0.8),
      sends: chance(0.4),
      policyChange: chance(0.7) ? 'allow' : 'none',
      haste: chance(0.25) ? pick(['switch', 'lowered', 'policy'] as const) : null,
      regret: chance(0.3) ? pick(['both', 'switch', 'receiving', 'watch'] as const) : null,
      isKilled: chance(0.4),
    },
  };
}

function randomMap(pick: <T>(list: readonly T[]) => T, chance: (share: number) => boolean): VirtualMap {
  const ends = (): readonly string[] => [...new Set([pick(CORP), ...(chance(0.4) ? [pick(CORP)] : [])])];
  return new Map<string, readonly string[]>([
    ['info', ends()],
    ['sales', ends()],
    ...(chance(0.5) ? [['team', [`info@${DOMAIN}`, pick(CORP)]] as const] : []),
    ...(chance(0.5) ? [['jobs', ends()] as const] : []),
    ...(chance(0.4) ? [['*', ends()] as const] : []),
  ]);
}

function randomPolicy(
  oldHosts: readonly string[],
  pick: <T>(list: readonly T[]) => T,
  chance: (share: number) => boolean,
): PublishedPolicy | null {
  if (oldHosts.length === 0 || !chance(0.6)) return null;
  const mode = pick(['enforce', 'enforce', 'testing', 'none'] as const);
  return { id: 'a1', mode, mx: oldHosts, maxAge: pick([DAY, 7 * DAY, 14 * DAY]) / 1000 };
}

/** Returns a function that is true except for an hour in each period of one to three days. */
function outages(random: () => number): (at: number) => boolean {
  const offset = Math.floor(random() * DAY);
  const period = DAY + Math.floor(random() * 2 * DAY);
  return (at) => (at + offset) % period > HOUR;
}
