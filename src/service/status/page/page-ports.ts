import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/model/clock.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { Disclosure } from '../../../core/model/destinations.ts';
import type { ProgramInfo } from '../../../core/model/status/program.ts';
import type { AccountStatus } from '../../../core/model/status/daemon.ts';
import type { Fleet } from '../../../core/model/status/fleet.ts';
import type { AccountHistory } from '../../../engine/state/store.ts';
import type { RanAccount } from '../../fleet/ran-accounts.ts';
import type { PageAccess } from './access.ts';
import type { RecentChanges, RecentRuns } from './data/runs-data.ts';
import type { PageStreams } from './streams.ts';
import type { RouteAnswer } from './views/route-box.ts';
import type { WhoBoxAnswer } from './views/who-box.ts';

export interface PageOptions {
  readonly program: ProgramInfo;
  readonly clock: Clock;
  readonly statuses: () => readonly AccountStatus[];
  readonly histories: () => readonly AccountHistory[];
  /** Removes secrets from a text. */
  readonly conceal: (text: string) => string;
  readonly disclosure: Disclosure;
  /** Reads the fleet of this process; null means that it cannot be read. Absent if the process has no fleet. */
  readonly fleet?: () => Promise<Fleet | null>;
  /** The domains of the fleet. Absent if the process has no fleet. */
  readonly fleetDomains?: FleetDomains;
  /** Returns the loaded manifests. */
  readonly manifests: () => readonly Desired[];
  /** Traces an address to its destinations. */
  readonly route: (address: string) => RouteAnswer;
  /** Finds the addresses whose mail ends at a destination. */
  readonly who: (destination: string) => Promise<WhoBoxAnswer>;
  /** Returns a command of these words, quoted for a shell on the machine of this process. */
  readonly command: (words: string) => string;
  /** Base path of all links, without a slash at its end. null means that no proxy serves the page below a path. */
  readonly basePath: string | null;
}

export interface FleetDomains {
  /** Lists the accounts that this worker ran last. */
  readonly ran: () => readonly RanAccount[];
  /** Returns the email of the account whose published manifest names a domain; null if none does. Rejects without the store. */
  readonly accountOf: (domain: string) => Promise<string | null>;
}

export interface PagePorts extends PageOptions {
  readonly access: PageAccess;
  readonly streams: PageStreams;
  readonly recentRuns: RecentRuns;
  readonly recentChanges: RecentChanges;
  /** Returns why strangers may reach the page by this request; null means that they cannot. */
  readonly exposure: (request: FastifyRequest) => string | null;
}
