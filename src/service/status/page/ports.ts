import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/model/clock.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { Disclosure } from '../../../core/model/destinations.ts';
import type { ProgramInfo } from '../../../core/model/status/program.ts';
import type { AccountStatus } from '../../../core/model/status/daemon.ts';
import type { Fleet } from '../../../core/model/status/fleet.ts';
import type { AccountHistory } from '../../../engine/state/store.ts';
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
  /** Takes out of a text what must not be shown. */
  readonly conceal: (text: string) => string;
  readonly disclosure: Disclosure;
  /** Of the fleet that the process belongs to, null: it cannot be read; absent: it belongs to none. */
  readonly fleet?: () => Promise<Fleet | null>;
  /** The manifests that are loaded. */
  readonly manifests: () => readonly Desired[];
  /** Where mail to an address goes. */
  readonly route: (address: string) => RouteAnswer;
  /** Which mail ends at a destination. */
  readonly who: (destination: string) => Promise<WhoBoxAnswer>;
  /** Returns a command of these words as a shell on the machine of this process takes it. */
  readonly command: (words: string) => string;
  /** In all links, without a slash at its end; null: no proxy serves the page below a path. */
  readonly basePath: string | null;
}

export interface PagePorts extends PageOptions {
  readonly access: PageAccess;
  readonly streams: PageStreams;
  readonly recentRuns: RecentRuns;
  readonly recentChanges: RecentChanges;
  /** Why strangers may reach the page by this request; null: they cannot. */
  readonly exposure: (request: FastifyRequest) => string | null;
}
