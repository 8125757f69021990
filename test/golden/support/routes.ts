import { routeMail, type MailRoute } from '../../../src/emulator/delivery/delivery-routing.ts';
import type { Dump } from '../../../src/emulator/account/dump.ts';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import type { Desired } from '../../../src/core/model/desired.ts';

/** A mail whose route is watched. */
export interface Probe {
  readonly to: string;
  readonly from?: string;
  readonly subject?: string;
  readonly body?: string;
}

/** Route of each probe: its destinations, after `rule: ` if a rule decides; `fallback`; null means refused. */
export type Routes = readonly (string | null)[];

/** Texts that the rules of the cases match. */
const TEXTS: readonly Omit<Probe, 'to'>[] = [
  {},
  { subject: 'your invoice' },
  { body: 'your invoice' },
  { from: 'ceo@vip.example' },
  { subject: '[alarm] fire' },
];

/** Mails to every address in the manifest or the account, in the domains of the account, and to one other address. */
export function probesOf({ domains }: Dump, desired: Desired | null): readonly Probe[] {
  const locals = new Map(domains.map(({ domain }) => [domain, new Set(['nobody'])]));
  const add = (domain: string, name: string): void => {
    if (/^[\w.+-]+$/.test(name)) locals.get(domain)?.add(name);
  };
  for (const { domain, aliases, rules } of domains) {
    for (const { alias } of aliases) add(domain, alias);
    for (const { config } of rules) add(domain, String(config['alias'] ?? 'nobody'));
  }
  for (const [name, domain] of desired?.domains ?? []) {
    if (domain.state === 'absent') continue;
    for (const alias of domain.aliases?.entries.values() ?? []) add(name, alias.name);
  }
  return [...locals].flatMap(([domain, names]) => {
    const everybody = [...names].map((local) => ({ to: `${local}@${domain}` }));
    return [...everybody, ...TEXTS.map((text) => ({ to: `nobody@${domain}`, ...text }))];
  });
}

/** Returns the route by the emulator's own routing. */
export function routesOf({ store }: Emulator, probes: readonly Probe[]): Routes {
  return probes.map(({ to, from = 'someone@home.example', subject = '', body = '' }) => {
    const domain = store.state.domains.get(to.slice(to.indexOf('@') + 1));
    if (domain === undefined) return null;
    return destinationsOf(routeMail(store.state, domain, { recipient: to, sender: from, subject, body }));
  });
}

function destinationsOf(route: MailRoute): string | null {
  if (route.kind === 'refused') return null;
  if (route.kind === 'fallback') return 'fallback';
  const destinations = new Set(route.forward.split(',').map((entry) => entry.trim().toLowerCase()));
  return `${route.kind === 'rule' ? 'rule: ' : ''}${[...destinations].sort().join(', ')}`;
}

/**
 * Returns mails that at some moment would have gone neither to their earlier nor to their later destination. While rules move,
 * another rule may match a mail that a rule matches before or afterwards.
 */
export function strayed(probes: readonly Probe[], way: readonly Routes[]): readonly string[] {
  const [first = [], last = []] = [way[0], way.at(-1)];
  return probes.flatMap(({ to }, index) => {
    const ends = [first[index] ?? null, last[index] ?? null];
    const mayBeRule = ends.some(isRule);
    const between = way.map((routes) => routes[index] ?? null);
    const wrong = between.filter((route) => !ends.includes(route) && !(mayBeRule && isRule(route)));
    return wrong.map((route) => `${to}: ${ends[0]}, then ${route}, then ${ends[1]}`);
  });
}

function isRule(route: string | null): boolean {
  return route?.startsWith('rule: ') ?? false;
}
