import type { AccountCore } from '../../../../src/emulator/emulator.ts';
import { lookAtRoutes, routingBreaches, type Moment } from '../../../simulation/support/routing-oracle.ts';
import type { Probe } from '../../../simulation/support/probes.ts';

/** A request that arrived. */
export interface Arrival {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
}

/** An account in the emulator, its requests, and the routes of its mail after each write. */
export interface WatchedAccount {
  readonly index: number;
  readonly email: string;
  /** Returns the manifest of a round and expects it from now on: one alias gets another destination, a second one another name. */
  want(round: number): string;
  readonly arrivals: readonly Arrival[];
  /** True if its aliases are those of the last expected round. */
  isAsWanted(): boolean;
  /** Delays each request by this many milliseconds. */
  slowDown(milliseconds: number): void;
  /** Returns mail whose destination belongs to neither of two rounds, as sentences. Clears the record. */
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

/** All names that earlier rounds may have left. */
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
