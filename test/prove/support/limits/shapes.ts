import { createHash } from 'node:crypto';
import type { RateLimitRule } from '../../../../src/emulator/http/rate-limit.ts';
import type { ApiVersion } from '../../../../src/core/model/endpoints.ts';
import { randomOf } from '../../../simulation/support/world.ts';

/** Number of items of a section, by action. */
export interface Counts {
  readonly kept: number;
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
}

/** Counts of rules: `updated` get another destination, `narrowed` another condition. `moved` go to the front; they are fewer than the rules that stay. */
export interface RuleCounts extends Counts {
  readonly moved: number;
  readonly narrowed: number;
}

/** One domain of the account or the manifest. A section that is null is not managed, though the account has some items of it. */
export interface DomainShape {
  readonly name: string;
  readonly state: 'live' | 'new' | 'tombstone';
  readonly settings: 'kept' | 'updated';
  readonly aliases: Counts | null;
  readonly rules: RuleCounts | null;
  readonly credentials: Counts | null;
}

/** An account and a change of it, from which its seed, its manifest and the least number of requests follow. */
export interface Shape {
  readonly name: string;
  readonly version: ApiVersion;
  readonly limit: RateLimitRule & { readonly window: 'fixed' | 'sliding' };
  /** Start of the run within a window, in milliseconds. */
  readonly phaseMs: number;
  /** Live domains that the manifest does not name. */
  readonly others: number;
  readonly domains: readonly DomainShape[];
}

type Random = () => number;

const NOTHING: Counts = { kept: 0, added: 0, updated: 0, deleted: 0 };
const NO_RULES: RuleCounts = { ...NOTHING, moved: 0, narrowed: 0 };
const DOMAIN: Omit<DomainShape, 'name'> = {
  state: 'live',
  settings: 'kept',
  aliases: null,
  rules: null,
  credentials: null,
};

export const WINDOW_SECONDS = 60;

/** Small shapes are for runs that must be fast. */
const FAMILIES: Readonly<Record<string, (random: Random, size: 'small' | 'large') => Drawn>> = {
  'nothing to do': (random, size) => ({
    domains: many(among(random, 1, most(size, 400)), () => aliasesOf(random, 40, 0)),
  }),
  'many small domains, one change each': (random, size) => ({
    domains: many(among(random, 60, most(size, 700)), () => ({
      ...DOMAIN,
      aliases: { ...NOTHING, kept: among(random, 1, 20), added: 1 },
    })),
  }),
  'few large domains': (random, size) => ({
    domains: many(among(random, 1, 3), () => aliasesOf(random, most(size, 12_000), 0.2)),
  }),
  'large account, few managed': (random, size) => ({
    others: among(random, 100, most(size, 4_000)),
    domains: many(among(random, 2, 30), () => aliasesOf(random, 60, 0.1)),
  }),
  'rules of all kinds': (random, size) => ({
    domains: many(among(random, 2, most(size, 120)), () => ({ ...DOMAIN, rules: rulesOf(random, 30) })),
  }),
  'hundreds of rules': (random) => ({
    domains: many(among(random, 1, 2), () => ({ ...DOMAIN, rules: { ...rulesOf(random, 900), moved: 0 } })),
  }),
  credentials: (random) => ({
    domains: many(among(random, 2, 40), () => ({
      ...DOMAIN,
      credentials: {
        ...NOTHING,
        kept: among(random, 1, 5),
        added: among(random, 0, 1),
        deleted: among(random, 0, 2),
      },
    })),
  }),
  settings: (random, size) => ({
    domains: many(among(random, 2, most(size, 90)), () => ({
      ...aliasesOf(random, 20, 0),
      settings: random() < 0.6 ? 'updated' : 'kept',
    })),
  }),
  'new domains': (random, size) => ({
    others: among(random, 0, 300),
    domains: many(among(random, 2, most(size, 150)), () => ({
      ...DOMAIN,
      state: random() < 0.6 ? 'new' : 'live',
      aliases: { ...NOTHING, added: among(random, 1, 12) },
    })),
  }),
  tombstones: (random, size) => ({
    others: among(random, 0, 50),
    domains: many(among(random, 3, most(size, 60)), () => ({
      ...aliasesOf(random, 30, 0),
      state: random() < 0.4 ? 'tombstone' : 'live',
    })),
  }),
  'deletes alone': (random, size) => ({
    domains: many(among(random, 2, most(size, 250)), () => ({
      ...DOMAIN,
      aliases: { ...NOTHING, kept: among(random, 20, 60), deleted: among(random, 0, 4) },
    })),
  }),
  'adds, updates and deletes': (random, size) => ({
    domains: many(among(random, 40, most(size, 400)), () => aliasesOf(random, 300, 0.2)),
  }),
  'one of many': (random, size) => {
    const count = among(random, 50, most(size, 500));
    const changed = among(random, 0, count - 1);
    const domains = many(count, (index) => {
      const settings = index === changed ? 'updated' : 'kept';
      return { ...aliasesOf(random, 30, index === changed ? 0.5 : 0), settings } as const;
    });
    return { domains, others: among(random, 200, most(size, 2_000)) };
  },
  'sections not managed': (random, size) => ({
    domains: many(among(random, 5, most(size, 200)), () => ({
      ...DOMAIN,
      aliases: random() < 0.5 ? aliasesOf(random, 40, 0.1).aliases : null,
      rules: random() < 0.5 ? rulesOf(random, 12) : null,
    })),
  }),
  'all at once': (random, size) => ({
    others: among(random, 0, 100),
    domains: many(among(random, 20, most(size, 160)), () => anything(random)),
  }),
};

interface Drawn {
  readonly others?: number;
  readonly domains: readonly Omit<DomainShape, 'name'>[];
}

/** Returns the shape of a seed. Consecutive seeds give different families. */
export function shapeOf(seed: number, size: 'small' | 'large'): Shape {
  const random = randomOf(seed * 7919 + 17);
  const families = Object.entries(FAMILIES);
  const [name, draw] = families[seed % families.length] ?? families[0] ?? [];
  if (name === undefined || draw === undefined) throw new Error('there is no family');
  const window = random() < 0.5 ? 'fixed' : 'sliding';
  const limit = [25, 30, 60, 200][among(random, 0, 3)] ?? 200;
  const { others = 0, domains } = draw(random, size);
  return {
    name,
    version: random() < 0.7 ? 'v4' : 'v3',
    limit: { per: 'template', limit, window, align: 'clock', windowSeconds: WINDOW_SECONDS },
    phaseMs: Math.floor(random() * WINDOW_SECONDS * 1000),
    others,
    domains: domains.map((domain, index) => ({ ...domain, name: `domain${index}.example` })),
  };
}

function most(size: 'small' | 'large', count: number): number {
  return size === 'large' ? count : Math.ceil(count / 5);
}

function many<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function among(random: Random, least: number, greatest: number): number {
  return least + Math.floor(random() * (Math.max(least, greatest) - least + 1));
}

/** Makes up to `most` aliases; about a share of them is added, updated or deleted. */
function aliasesOf(random: Random, greatest: number, share: number): Omit<DomainShape, 'name'> {
  const kept = among(random, 1, greatest);
  const part = (): number => Math.floor(random() * share * kept);
  return { ...DOMAIN, aliases: { kept, added: part(), updated: part(), deleted: Math.floor(part() / 2) } };
}

function rulesOf(random: Random, greatest: number): RuleCounts {
  const kept = among(random, 3, greatest);
  const part = (): number => Math.floor(random() * 0.4 * kept);
  return { kept, added: part(), updated: part(), deleted: part(), narrowed: part(), moved: part() };
}

function anything(random: Random): Omit<DomainShape, 'name'> {
  const chance = random();
  if (chance < 0.1) return { ...aliasesOf(random, 40, 0), state: 'tombstone' };
  if (chance < 0.2) return { ...DOMAIN, state: 'new', aliases: { ...NOTHING, added: among(random, 1, 9) } };
  return {
    ...aliasesOf(random, 250, random() < 0.5 ? 0.3 : 0),
    rules: random() < 0.4 ? rulesOf(random, 10) : random() < 0.5 ? NO_RULES : null,
    credentials: random() < 0.2 ? { ...NOTHING, kept: 1, added: 1 } : null,
    settings: random() < 0.2 ? 'updated' : 'kept',
  };
}

/** Returns the UUID of a text, always the same. */
export function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
