import type { MailLog, MailStatus } from '../../../src/emulator/account/model.ts';
import type { EmulatorCore } from '../../../src/emulator/emulator.ts';
import type { FollowedWorld } from '../../service/delivery/support/followed.ts';

export const DOMAINS = ['a.example', 'b.example', 'c.example'] as const;

const ALIASES = {
  sales: 'carol@corp.example,dave@corp.example,https://hooks.corp.example/in',
  info: 'Ben@Corp.example',
  '(news|post)-(.*)': '$2@corp.example',
  spam: 'null',
  team: 'eve@gmail.com,carol@corp.example',
};

/** Live domains, all with equal aliases. */
export const SEED = {
  domains: DOMAINS.map((domain) => ({
    domain,
    aliases: Object.entries(ALIASES).map(([alias, forward]) => ({ alias, forward })),
  })),
};

const ENTRIES = Object.entries(ALIASES)
  .map(([alias, forward]) => `      "${alias}": ${forward === 'null' ? 'discard' : `[${forward}]`}\n`)
  .join('');

export const MANIFEST = `version: 1
domains:
${DOMAINS.map((domain) => `  ${domain}:\n    prune: true\n    aliases:\n${ENTRIES}      fax: { state: absent }\n`).join('')}`;

const NAMES = [
  'sales',
  'SALES',
  'sales+x',
  'info',
  'news-ana',
  'post-bob',
  'spam',
  'team+y',
  'fax',
  'nobody',
  'x.y',
];

const COURSES: readonly (MailStatus | readonly MailStatus[])[] = [
  'DELIVERED',
  'DELIVERED',
  'QUEUED',
  'HARD-BOUNCE',
  'BOUNCED',
  'SOFT-BOUNCE',
  ['QUEUED', 'SOFT-BOUNCE', 'DELIVERED'],
  ['QUEUED', 'SOFT-BOUNCE', 'SOFT-BOUNCE', 'HARD-BOUNCE'],
  ['QUEUED', 'SOFT-BOUNCE', 'BOUNCED'],
  ['QUEUED', 'REFUSED'],
];

/** Returns a generator of numbers from 0 up to 1, always the same for one seed. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Messages with every mix of outcomes, made by the emulator's delivery. */
export function deliverMix(world: FollowedWorld, count: number, next: () => number): void {
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  for (let index = 0; index < count; index += 1) {
    const outcomes = Object.fromEntries(
      Object.values(ALIASES).flatMap((forward) => forward.split(',').map((to) => [to, oneOf(COURSES)])),
    );
    world.deliver({ to: `${oneOf(NAMES)}@${oneOf(DOMAINS)}`, outcome: oneOf(COURSES), outcomes });
  }
}

/** `domain alias destination` -> result -> number of messages, counted from the emulator's own log. */
export type Counted = Readonly<Record<string, Readonly<Record<string, number>>>>;

const FATE: Readonly<Record<MailStatus, string>> = {
  QUEUED: 'open',
  DELIVERED: 'delivered',
  REFUSED: 'refused',
  'SOFT-BOUNCE': 'soft',
  'HARD-BOUNCE': 'hard',
  BOUNCED: 'hard',
};

export function countLogs({ store }: EmulatorCore): Counted {
  const counted: Record<string, Record<string, number>> = {};
  for (const { name, logs } of store.state.domains.values()) {
    for (const entry of logs.inOrder('created')) {
      const [key, fate] = [keyOf(name, entry), FATE[entry.events.at(-1)?.status ?? 'QUEUED']];
      const row = (counted[key] ??= {});
      row[fate] = (row[fate] ?? 0) + 1;
    }
  }
  return counted;
}

/** Returns a message's domain, alias and destination. Refused mail of a pattern is counted by its local part. */
function keyOf(domain: string, { alias, forward, events, recipient }: MailLog): string {
  const shown = alias in ALIASES || alias === 'fax' ? alias : '';
  const [local = ''] = recipient.email.toLowerCase().split('@');
  if (events.at(-1)?.status === 'REFUSED') return `${domain} ${shown.includes('(') ? local : shown} refused`;
  return `${domain} ${shown} ${forward?.email.toLowerCase() ?? 'discard'}`;
}
