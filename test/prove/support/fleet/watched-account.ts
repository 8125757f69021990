import type { AccountCore } from '../../../../src/emulator/emulator.ts';
import { lookAtRoutes, routingBreaches, type Moment } from '../../../simulation/support/routing-oracle.ts';
import type { Probe } from '../../../simulation/support/probes.ts';

/** One request as it arrived. */
export interface Arrival {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
}

/** An account in the emulator with all requests that reached it, and where its mail went after each that wrote. */
export interface WatchedAccount {
  readonly index: number;
  readonly email: string;
  /** The manifest of a round, which is wanted from then on: another destination of one alias, another name of another one. */
  want(round: number): string;
  readonly arrivals: readonly Arrival[];
  /** True if its aliases are those of the last wanted round. */
  isAsWanted(): boolean;
  /** Each request takes so long, milliseconds; 0: no time. */
  slowDown(milliseconds: number): void;
  /** Mail that went neither where it goes in the one nor in the other of two rounds, in words. Forgets what was before. */
  takeBreaches(): readonly string[];
}

export function watchAccount(index: number, core: AccountCore | undefined): WatchedAccount {
  if (core === undefined) throw new Error(`there is no account ${index}`);
  const domain = `a${index}.example`;
  const arrivals: Arrival[] = [];
  const look = (after: string): Moment => lookAtRoutes(core.store.state, probes, after);
  let probes = probesOf(domain, 0);
  let moments = [look('the start')];
  let delayMs = 0;
  let wanted = 0;
  core.onRequest(async ({ phase, method, path }) => {
    if (phase === 'before') {
      arrivals.push({ at: Date.now(), method, path });
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    } else if (method !== 'GET') moments.push(look(`${method} ${path}`));
  });
  return {
    index,
    email: `a${index}@fleet.example`,
    want(round) {
      wanted = round;
      probes = probesOf(domain, round);
      moments = [look('the start')];
      return manifestOf(index, round);
    },
    arrivals,
    isAsWanted() {
      const live = core.store.dump().domains[0]?.aliases.map(({ alias, forward }) => `${alias} ${forward}`);
      return live?.toSorted().join() === aliasesOf(wanted).toSorted().join();
    },
    slowDown(milliseconds) {
      delayMs = milliseconds;
    },
    takeBreaches() {
      const breaches = routingBreaches(moments, probes);
      moments = [look('the start')];
      return breaches;
    },
  };
}

function aliasesOf(round: number): readonly string[] {
  return ['info ana@corp.example', `sales sales-${round}@corp.example`, `desk-${round} ana@corp.example`];
}

function manifestOf(index: number, round: number): string {
  const aliases = aliasesOf(round).map((alias) => `      ${alias.replace(' ', ': ')}\n`);
  return `version: 1
api: { account: a${index}@fleet.example, key: { env: KEY_${index} } }
guards: { max_delete_percent: 100 }
domains:
  a${index}.example:
    prune: { aliases: true }
    aliases:
${aliases.join('')}`;
}

/** The round before may have left any of its names. */
function probesOf(domain: string, round: number): readonly Probe[] {
  const names = [
    'info',
    'sales',
    'nobody',
    ...Array.from({ length: round + 1 }, (_, index) => `desk-${index}`),
  ];
  return names.map((name) => ({
    domain,
    recipient: `${name}@${domain}`,
    sender: 'x@elsewhere.example',
    subject: '',
    body: '',
  }));
}
